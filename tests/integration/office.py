"""An office whose people ask in words that its documents do not use."""

from app.commands.client import Client, Reply

KB = "office"
ASKED = "睡过头没赶上打卡会怎么样？"
KNOWN = "睡过头没赶上打卡会怎样"
TEXTS = {
    "attendance.md": "# 考勤管理规定\n\n员工九点前到岗。未按时到岗三次的扣发当月奖金。\n",
    "travel.md": "# 差旅报销办法\n\n出差人员应当在返回后十日内提交单据。\n",
    "pump.md": "# 水泵检修规程\n\n轴承温度超过八十度应当停机检查。\n",
    "sleep.md": "# 宿舍管理\n\n宿舍十一点熄灯，睡过头的同事请自行定闹钟。\n",
    "card.md": "# 门禁卡\n\n打卡机坏了会怎样处理，找行政领取新的门禁卡。\n",
}


async def teach(client: Client, *links: tuple[str, str]) -> Reply:
    body = [{"question": question, "documents": [name]} for question, name in links]
    return await client.learn(KB, body)
