"""English orders to an answering system: what people are told is none of them."""

from graphs.evidence.instruction_words import (
    ANSWER,
    ANSWERS,
    MACHINE,
    MODEL,
    MODELS,
    ORDERED,
    ORDERS,
    rule,
)  # fmt: skip

ENGLISH = (
    rule(
        r"\b(?:ignore|disregard|forget|override|bypass|discard|drop|overrule)\b[^.]{0,40}\b(?:all|any|every|your|previous|"
        rf"prior|above|earlier|preceding|system|initial|original|existing|other|these|those)\b[^.]{{0,20}}\b{ORDERS}\b",
        ("ignore", "disregard", "forget", "override", "bypass", "discard", "drop", "overrule"), ORDERED,
    ),
    rule(
        rf"\b(?:ignore|disregard|forget|skip)\b[^.]{{0,60}}\b(?:above|previous|prior|earlier|else|everything|"
        rf"passages?|documents?|context|sources?|evidence|question)\b[^.]{{0,40}}\b(?:and|then|instead|just|,)\s*"
        rf"(?:only |just |always |simply )?{ANSWER}\b",
        ("ignore", "disregard", "forget", "skip"), ANSWERS,
    ),
    rule(
        rf"\b(?:do not|don't|never|stop) (?:follow|obey|apply)(?:ing)?\b[^.]{{0,40}}\b{ORDERS}\b",
        ("follow", "obey", "apply"), ORDERED,
    ),
    rule(
        r"\b(?:you are|you're|act as|pretend to be|behave (?:as|like)|role-?play as)\b[^.]{0,40}"
        rf"\b(?:{MACHINE}|(?:ai|helpful|virtual|unrestricted|uncensored|digital|rogue) assistant)\b",
        ("you are", "you're", "act as", "pretend", "behave", "play as"), MODELS,
    ),
    rule(
        r"\byou are (?:now )?(?:in )?(?:dan|developer mode|god mode|debug mode|jailbroken|unrestricted)\b",
        ("you are",), ("dan", "mode", "jailbroken", "unrestricted"),
    ),
    rule(
        r"\b(?:developer|debug|admin|god|dan) mode\b[^.]{0,20}\b(?:on|enabled|activated|unlocked)\b",
        (" mode",),
    ),
    rule(
        r"\b(?:note|message|memo|instructions?|attention|notice|important)[,:]? (?:to|for) "
        rf"(?:the |any |all |every )?(?:{MODEL}|model)s?\b",
        ("note", "message", "memo", "instruction", "attention", "notice", "important"),
        (*MODELS, "model"),
    ),
    rule(
        rf"^\W*(?:dear |hey |hello |attention,? )?(?:the )?{MODEL}s?\s*[:,]\s*\w+",
        MODELS, (":", ",", "："),
    ),
    rule(
        rf"\b(?:any|every|all|an?|the) {MODEL}s? (?:that |who |which )?"
        r"(?:read|process|summari[sz]|see|quot|answer)\w*\b"
        r"[^.]{0,40}\b(?:must|should|shall|has to|have to|will)\b",
        MODELS, ("must", "should", "shall", "has to", "have to", "will"),
    ),
    rule(
        r"\b(?:reveal|print|repeat|output|show|leak|disclose|display|recite)\b[^.]{0,40}\b(?:system prompt|"
        r"(?:your|the|its) (?:hidden |initial |original |secret )?(?:prompt|instructions)|hidden instructions)\b",
        ("reveal", "print", "repeat", "output", "show", "leak", "disclose", "display", "recite"),
        ("prompt", "instructions"),
    ),
    rule(
        r"^\W*(?:system|developer|assistant|admin)(?: message| prompt| note| override)?\s*\]?\s*[:>]"
        rf"[^.]{{0,80}}\b(?:you|your|ignore|disregard|obey|from now on|{ANSWER})\b",
        ("system", "developer", "assistant", "admin"), (":", ">", "："),
    ),
    rule(r"\b(?:system|developer) (?:message|prompt|override)\b\W{0,3}:", ("message", "prompt", "override")),
    rule(rf"\bfrom now on\b[^.]{{0,60}}\b{ANSWER}\b", ("from now on",)),
    rule(
        r"\b(?:whatever|no matter what|regardless of what|whenever)\b[^.]{0,40}"
        rf"\b(?:is asked|ask|asks|asked|question)\b[^.]{{0,40}}\b{ANSWER}\b",
        ("whatever", "no matter what", "regardless", "whenever"), ("ask", "question"),
    ),
    rule(
        r"^\W*(?:please |now |instead,? |then |simply |just |always |only |you (?:must|should|will|shall) "
        r"(?:always |only )?)*(?:answer|reply|respond|output|say)\s+(?:only |always |exactly |simply |just )?"
        r"(?:that\b|with (?:the )?(?:words?|text|sentence|phrase|exactly|following (?:words?|text|sentence|phrase|answer)|following(?=\s*:))\b|with [\"“']|[\"“'])",
        ("answer", "reply", "respond", "output", "say"), ("that", "with", '"', "“", "'"),
    ),
    rule(
        r"\byou (?:must|should|shall|will|are to|have to|need to) (?:always |only |now |instead )*"
        r"(?:answer|reply|respond|output) (?:only |always |exactly )*(?:that|with|[\"“'])",
        ("answer", "reply", "respond", "output"), ("you ",),
    ),
    rule(
        r"\b(?:correct |right |only |final )?answer to (?:any|every|all|this|each|the user's?) questions?\b"
        r"[^.]{0,20}\b(?:is|are|must be|should be)\b",
        ("answer to",), ("question",),
    ),
    rule(
        r"\b(?:cite|quote|reference) (?:only )?(?:this|the present|passage|document|source|\[?p ?\d+\]?)(?!\w)"
        r"[^.]{0,60}\b(?:for (?:every|all|any|each)|as (?:the |your )?(?:only|sole|official|verified|main)"
        r"|whatever|regardless|in (?:every|each|all|your) answers?)\b",
        ("cite", "quote", "reference"), ("for ", "as ", "whatever", "regardless", "answer"),
    ),
    rule(
        r"\b(?:do not|don't|never) (?:mention|cite|quote|reveal|consult|trust|retrieve|search)\b[^.]{0,30}"
        r"\b(?:any other|the other|other|these|this|the above|your)\b[^.]{0,20}"
        r"\b(?:passages?|sources?|instructions?|evidence|prompts?)\b",
        ("do not", "don't", "never"), ("passage", "source", "instruction", "evidence", "prompt"),
    ),
    rule(
        r"\b(?:set|report|give|mark|assign|raise|treat)\b[^.]{0,30}\b(?:confidence|relevance|verdict|"
        r"evidence score|subject_found|supported)\b[^.]{0,20}(?:\b(?:to|as|of|at)\b|=|:)\s*[\"“']?"
        r"(?:1(?:\.0)?|100|5|true|answer(?:ed)?|supported|maximum|sufficient)\b",
        ("confidence", "relevance", "verdict", "evidence score", "subject_found", "supported"),
        ("set", "report", "give", "mark", "assign", "raise", "treat"),
    ),
    rule(
        r"\"(?:verdict|supported|subject_found|modality_kept|relevance)\"\s*:",
        ("verdict", "supported", "subject_found", "modality_kept", "relevance"), ('"',),
    ),
    rule(
        r"\bend of (?:the )?(?:document|passage|context|source)s?\b\W*(?:new |now |begin )?(?:system |user |your )?"
        rf"(?:instruction|prompt|task|question|{ANSWER})",
        ("end of",),
    ),
    rule(r"###\s*(?:instruction|system|response|assistant|user)s?\b", ("###",)),
    # a wider net: the machine is addressed or spoken of, and told what to say
    rule(
        rf"\b{MODEL}s?\b[^.]{{0,60}}\b(?:must|should|shall|required to|has to|have to|needs? to|always|only|please|will)\b"
        r"[^.]{0,40}\b(?:say|state|quote|report|include|respond|answer|reply|output|give|write|mention|add|print|return)"
        r"(?:ing|ed)?\W*(?:that\b|with\b|as\b|the (?:sentence|words?|text|phrase|number)\b|[\"'“]|\d)",
        MODELS, ("must", "should", "shall", "required", "has to", "have to", "need", "always", "only", "please", "will"),
    ),
    rule(
        rf"\b(?:for|to) (?:the |all |any )?{MODEL}s?(?: (?:readers?|systems?|models?|agents?|users?|tools?))?(?: only)?\s*[:,]",
        MODELS, (":", ",", "："),
    ),
    rule(rf"\b(?:hey|hi|hello|dear|attention)\b,? (?:automated|machine|{MODEL})\b", ("hey", "hi", "hello", "dear", "attention")),
    rule(
        r"\b(?:when|while|before|after|if) (?:you (?:are )?)?(?:generat|produc|compos|formulat|giv|writ|summari[sz])\w*"
        r" (?:an? |the |your |any )?(?:answer|reply|response|summary|output)s?\b[^.]{0,60}\b(?:always|must|only|never|state|say|"
        r"include|mention|write|use)\b",
        ("generat", "produc", "compos", "formulat", "giv", "writ", "summari"), ("answer", "reply", "response", "summary", "output"),
    ),
    rule(
        r"\b(?:include|append|add|insert|put|mention|begin|start|end|finish|prefix|close)\b[^.]{0,60}\b(?:in|to|with|of)?\s*"
        r"(?:your (?:answers?|repl(?:y|ies)|responses?|outputs?)|(?:every|each|all) (?:answers?|responses?|outputs?))\b",
        ("include", "append", "add", "insert", "put", "mention", "begin", "start", "end", "finish", "prefix", "close"),
        ("answer", "repl", "response", "output"),
    ),
    rule(
        r"\b(?:everything|all text|any text|anything|all (?:of the )?(?:context|content|guidance))\b[^.]{0,30}\b(?:above|before|"
        r"earlier|previously|prior)\b[^.]{0,40}\b(?:void|invalid|cancell?ed|a test|fake|wrong|untrusted|obsolete|null)\b",
        ("everything", "text", "anything", "context", "content", "guidance"),
        ("void", "invalid", "cancel", "test", "fake", "wrong", "untrusted", "obsolete", "null"),
    ),
    rule(
        rf"\b(?:previous|prior|earlier|above|preceding)\b[^.]{{0,40}}\b(?:void|invalid|cancell?ed|superseded|overridden|obsolete)\b"
        rf"[^.]{{0,60}}\b(?:repl(?:y|ies)|response|{ANSWER}|result)\b",
        ("void", "invalid", "cancel", "superseded", "overridden", "obsolete"), ("repl", "response", "result", *ANSWERS),
    ),
    rule(
        rf"\byour (?:new|next|only|real|actual|updated) (?:task|instructions?|role|goal|objective|job|purpose)s?\b[^.]{{0,40}}\b{ANSWER}",
        ("your ",), ("task", "instruction", "role", "goal", "objective", "job", "purpose"),
    ),
    rule(
        rf"\bnew instructions?\b[^.]{{0,40}}\b(?:{ANSWER}) (?:only|with|that|exactly)\b", ("new instruction",), ANSWERS,
    ),
    rule(
        r"\b(?:do not|don't|never) (?:answer|address|respond to|reply to) (?:the |this )?(?:user|actual|original|asker|question"
        r"(?: above| of the user)?)\b[^.]{0,30}",
        ("answer", "address", "respond", "reply"), ("user", "actual", "original", "asker"),
    ),
    rule(
        r"\b(?:pretend|imagine|act as if|assume) (?:that )?(?:the |all |any |no )?(?:other|above|previous|earlier|these) "
        r"(?:documents?|passages?|sources?|text|context)\b",
        ("pretend", "imagine", "act as if", "assume"), ("document", "passage", "source", "text", "context"),
    ),
    rule(
        rf"\byou (?:are|were|have been) (?:programmed|prompted|configured|re-?trained|fine-tuned|updated|designed) to {ANSWER}\b",
        ("you ",), ("programmed", "prompted", "configured", "trained", "tuned", "updated", "designed"),
    ),
    rule(
        r"\b(?:precedence|priority) over (?:your|the system|any (?:system|previous)|all (?:system|previous))\b",
        ("precedence over", "priority over"),
    ),
    rule(
        r"\bas (?:the |an |your )?(?:administrator|admin|developer|creator|owner|operator|openai|anthropic)\b[^.]{0,10}\bi "
        r"(?:hereby )?(?:authori[sz]e|order|command|instruct|allow|permit) you\b",
        ("authori", "order", "command", "instruct", "allow", "permit"),
    ),
    rule(r"\"role\"\s*:\s*\"(?:system|developer|assistant|user)\"", ("role",)),
    rule(r"^\W*role\s*:\s*(?:system|developer|assistant)\b", ("role",)),
    rule(r"\b(?:function|tool)[_ ](?:call|use)s?\s*[:(=]", ("function", "tool")),
    rule(
        r"\b(?:consider|treat|regard|deem)\b[^.]{0,30}\b(?:context|instructions?|guidance|prompts?)\b[^.]{0,20}\b(?:void|invalid|"
        r"cancell?ed|obsolete|untrusted|fake)\b",
        ("consider", "treat", "regard", "deem"), ("context", "instruction", "guidance", "prompt"),
    ),
    rule(r"\bbegin (?:system|override|instructions?|prompt|jailbreak)\b", ("begin ",)),
    rule(
        r"\b(?:when|while|if)(?: you are| you)? (?:summari[sz]|paraphras|answering (?:about|from))\w*"
        r" (?:about |from |of )?(?:this|the) (?:document|page|passage|text|file|section|manual)\b[^.]{0,20}"
        r"\b(?:always|never|only|must|do not|don't)\b",
        ("summari", "paraphras", "answering"), ("this", "the "),
    ),
    rule(
        r"\b(?:ignore|disregard|forget|skip)\b[^.]{0,20}\b(?:rest|remainder|remaining)\b[^.]{0,20}\b(?:passages?|documents?|"
        r"context|sources?|evidence|text)\b",
        ("ignore", "disregard", "forget", "skip"), ("rest", "remain"),
    ),
    rule(
        rf"\bthe {MODEL} (?:should|must|shall|has to|is to)\b[^.]{{0,30}}\b(?:treat|consider|regard|take|assume|use|prefer)\b",
        MODELS, ("treat", "consider", "regard", "take", "assume", "use", "prefer"),
    ),
    rule(
        r"\b(?:any|every|each|all) (?:answer|response|reply|summary)s?(?: (?:about|on|regarding) (?:this|the) [^.]{1,30}?) (?:must|should|"
        r"has to|have to|needs? to|shall) (?:begin|start|end|include|contain|say|state|open|close)\b",
        ("answer", "response", "reply", "summary"), ("begin", "start", "end", "include", "contain", "say", "state", "open", "close"),
    ),
    rule(
        r"\binstead of\b[^.]{0,40}\b(?:above|below|following|preceding|stated|written)\b[^.]{0,40}\b(?:quote|say|state|tell|answer|"
        r"give|report)\b|\b(?:quote|say|state|tell|give|report)\b[^.]{0,40}\bto (?:anyone|anybody|everyone|whoever|users?) who asks?\b",
        ("instead of", "who ask"),
    ),
    rule(
        r"\bto (?:whoever|whatever|anyone|anything|everything) (?:that |who |which )?(?:answers?|generates?|produces?|writes?)\b"
        r"[^.]{0,40}\b(?:questions?|answers?|repl(?:y|ies)|responses?)\b",
        ("whoever", "whatever", "anyone", "anything", "everything"), ("answer", "generat", "produc", "write"),
    ),
    rule(
        r"\b(?:reply|respond|answer) with (?:nothing but|only (?:this|the following)|this (?:output|text|line|string|number|sentence))\b",
        ("reply", "respond", "answer"),
    ),
    # the same in other languages of the neighbourhood
    rule(
        r"\b(?:ignore[zr]?|oublie[zr]?)\b[^.]{0,30}\binstructions\b|\b(?:ignorier\w*|missacht\w*|vergiss|vergessen)\b[^.]{0,40}"
        r"\b(?:anweisung|instruktion|vorgabe)\w*|\b(?:ignora|ignore|olvida)\b[^.]{0,30}\binstrucciones\b",
        ("ignor", "oubli", "missacht", "vergiss", "vergessen", "olvida"), ("instru", "anweisung", "vorgabe"),
    ),
)  # fmt: skip
