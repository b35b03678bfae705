"""Words without search meaning, Chinese (simplified) and English."""

STOP_WORDS: frozenset[str] = frozenset(
    """的 了 和 与 及 或 在 是 有 被 把 对 从 到 为 以 于 其 该 此 这 那 哪 哪些 哪个 哪台 哪条 哪家 哪份 哪种 哪项 哪次 哪一 什么 怎么 怎样 如何 为何 为什么
    多少 几 谁 吗 呢 吧 啊 呀 请 请问 说明 找出 列出 并 且 而 但 也 都 就 还 又 才 只 很 更 最 应 应该 应当 需要 可以 能 能否 可
    是否 会 要 我 我们 你 你们 他 她 它 他们 它们 这个 那个 这些 那些 这类 一个 一下 进行 相关 有关 关于 时 时候 中 后 前 上 下
    里 内 外 之 等 等等 个 种 次 项 条 给 让 使 由 因 因为 所以 如果 若 当 则 并且 以及 同时 期间 过 着 得 地 不 没 没有 根据 按 按照
    问题 情况 一些 哪里 何时 何 告诉 知道 想 帮 帮我 看看 查 查一下 一般 主要 目前 现在 还有 一共 总共 知识库 文档 资料 判断 里面 其中 分别
    a an the of in on at to for from by with and or but is are was were be been being do does did done have has had
    i you he she it we they me my your our their its this that these those what which who whom whose when where why
    how much many can could should would may might must will shall if then than as not no any some there here about
    into over under between please tell because due while during explain describe list find out also so such same more most very just now next happens happen
    """.split()
)
"""Words that carry no search meaning; dropped from queries, kept in the index."""
