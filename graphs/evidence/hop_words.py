"""Words that hops are told by: roles that one person or thing fills, and what is asked in general."""

import re
from typing import Literal

RoleKind = Literal["person", "organisation", "place", "title"]

PERSON_ZH = (
    "总负责人|负责人|责任人|联系人|审批人|批准人|经办人|保管人|接口人|发明人|创始人|创办人|主持人|主管|总经理|经理|总监|主任|部长|厂长"
    "|校长|院长|所长|班长|组长|队长|董事长|市长|省长|总统|总理|首相|国王|导演|作者|编剧|主演|歌手|演唱者|作曲者|设计者|设计师|发明者|创立者"
    "|妻子|丈夫|父亲|母亲|儿子|女儿|老师|继任者|主教练|教练|管理员|监护人|人员|人"
)
_ORGANISATION_ZH = (
    "责任部门|主管部门|归口部门|牵头部门|管理部门|供应商|制造商|生产商|承包商|开发商|厂家|母公司|出版社|部门|单位|科室|班组|公司|企业"
    "|机构|组织|大学|学校|球队|俱乐部|银行"
)
_PLACE_ZH = "所在城市|所在国家|首都|省会|产地|故乡|城市|国家|省份"
_TITLE_ZH = "电影|影片|小说|专辑"
ROLE_ZH = f"{PERSON_ZH}|{_ORGANISATION_ZH}|{_PLACE_ZH}|{_TITLE_ZH}"
_CLASS_ZH = frozenset(
    "人员 人 部门 单位 科室 班组 公司 企业 机构 组织 大学 学校 球队 俱乐部 银行 城市 国家 省份 电影 影片 小说 专辑 管理员 老师".split()
)
SPECIFIC_ZH = "|".join(role for role in ROLE_ZH.split("|") if role not in _CLASS_ZH)
"""Roles of something; a class (部门, 电影) needs to be told by what it does."""
AFTER_ROLE_ZH = (
    r"(?=的|(?:是在|在|于)?(?:出生|生于|毕业|成立|创立|创建)|住在|来自|位于|在(?:哪|几|什么地方)|属于|隶属|是哪(?:国|里)人"
    r"|何时|什么时候|哪年|哪一年)"
)
"""What follows a role that a further question is about."""
VERB_ZH = (
    "负责|主管|分管|审批|审核|批准|管理|归口|牵头|制造|生产|执导|导演|编写|撰写|出版|发明|创办|创立|开发|供应|提供|维护|运营|主办|承办|起草"
    "|发布|受理|签发|保管|拍摄|主演|演唱|创作|设计|建造|收购|获得|赢得"
)
NOT_ONE_ZH = re.compile(
    r"(?:部门|公司|单位|员工|本人|直接|各|每|所有|任何|某|我|你|您|其|该|此|这|那|他|她|它|自己|相关|有关|什么|哪|谁|多少|几)(?:个|位)?$|谁|什么|哪"
)
"""What is no single named thing: the manager of each department is nobody in particular."""
GENERAL_ZH = re.compile(r"职责|权限|责任|义务|任务|要求|条件|资格|名字|姓名|名称|叫什么")
"""Asked of a role in general, or only its name."""

PERSON_EN = (
    r"directors?|authors?|writer|managers?|heads?|leader|chief|owner|founder|inventor|composer|creator|ceo|president|mayor|king|queen"
    r"|wife|husband|father|mother|son|daughter|brother|sister|actor|actress|singer|person|man|woman|officer|supervisor|coach|producer"
    r"|screenwriter|designer|architect|contact|approver|engineer|editor|pianist|drummer|guitarist|physicist|chemist|ecologist|scientist"
    r"|player|footballer|musician|comedian|entertainer|poet|playwright|novelist|painter|photographer|politician|general|lawyer"
)
_ORGANISATION_EN = (
    r"company|department|team|club|band|group|university|college|school|organi[sz]ation|agency|league|supplier|vendor|manufacturer"
    r"|publisher|office|unit|committee|network|airline|museum"
)
_PLACE_EN = r"city|country|state|town|capital|county|village|island|base"
_TITLE_EN = r"film|movie|book|novel|album|song|show|series|magazine|play|opera"
ROLE_EN = f"(?:{PERSON_EN}|{_ORGANISATION_EN}|{_PLACE_EN}|{_TITLE_EN})"
SPECIFIC_EN = (
    r"director|author|writer|manager|head|leader|owner|founder|inventor|composer|creator|ceo|president|mayor|king|queen|wife|husband"
    r"|father|mother|coach|producer|screenwriter|designer|architect|contact|approver|editor|supervisor|supplier|vendor|manufacturer"
    r"|publisher|capital"
)
"""Roles of something; any other one needs to be told by what it does."""
NOT_ONE_EN = re.compile(
    r"(?:an?|any|each|every|all|some|my|your|his|her|their|its|our|this|that|these|those|another|which|what|whom?)\b"
    r"|(?:the )?(?:employees?|travell?ers?|staff|departments?|managers?|company|team|applicants?)\W*$",
    re.IGNORECASE,
)
GENERAL_EN = re.compile(
    r"\b(?:names?|titles?|roles?|dut(?:y|ies)|responsibilit\w+|responsible|powers?|authority|required|requirements?|must|should|may|can|if)\b",
    re.IGNORECASE,
)
"""Asked of a role in general, or only its name."""
LAST_EN = (
    r"\s*\?*$|,? (?:born|founded|established|located|based|headquartered|released|built|die|died|live|lived|work"
    r"|from|play|belong)\b[^,]{0,24}\?*$"
)
"""Where the words that tell a role end: at the end of the question, or before the rest of its verb."""
FIRST_EN = r",? (?:is|was|are|were|has|had|did|does)\b"
"""Where they end as the subject of a question that they open."""


def kind_of(role: str) -> RoleKind:
    """Return what fills a role."""
    for kind, roles in (
        ("person", (PERSON_ZH, PERSON_EN)),
        ("place", (_PLACE_ZH, _PLACE_EN)),
        ("title", (_TITLE_ZH, _TITLE_EN)),
    ):
        if any(re.fullmatch(pattern, role, re.IGNORECASE) for pattern in roles):
            return kind  # type: ignore[return-value]  # the four literals of the table
    return "organisation"
