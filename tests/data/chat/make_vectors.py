#!/usr/bin/env python3
"""Writes vectors.json: requests of the chat platforms with their signatures and encrypted texts, computed by Python's hmac and hashlib and by
the openssl command, not by the code that is tested. Run it again only to add a case: every value in it is fixed."""
import base64
import hashlib
import hmac
import json
import pathlib
import struct
import subprocess
import urllib.parse

NOW = 1764000000
vectors = {"now": NOW}


def aes_256_cbc(key: bytes, iv: bytes, text: bytes) -> bytes:
    """Padded by the caller."""
    command = ["openssl", "enc", "-aes-256-cbc", "-nopad", "-K", key.hex(), "-iv", iv.hex()]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout


def padded(text: bytes, block: int) -> bytes:
    size = block - len(text) % block
    return text + bytes([size]) * size


def compact(value) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Slack: HMAC-SHA256 over "v0:time:body".
SLACK_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


def slack(body: str, kind: str, time: int = NOW) -> dict:
    digest = hmac.new(SLACK_SECRET.encode(), f"v0:{time}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"headers": {"Content-Type": kind, "X-Slack-Request-Timestamp": str(time), "X-Slack-Signature": f"v0={digest}"}, "body": body}


def slack_event(event: dict) -> dict:
    return slack(compact({"type": "event_callback", "event_id": "Ev1", "event": event}), JSON)


JSON, FORM = "application/json", "application/x-www-form-urlencoded"
vectors["slack"] = {
    "signing_secret": SLACK_SECRET,
    "mention": slack(compact({"token": "unused", "team_id": "T1", "type": "event_callback", "event_id": "Ev0PV52K21", "event_time": NOW, "event": {
        "type": "app_mention", "user": "U123", "text": "<@UBOT> /why 12 &amp; <https://example.org/a|more>", "ts": "1764000000.000100",
        "thread_ts": "1763999000.000200", "channel": "C9"}}), JSON),
    "challenge": slack(compact({"type": "url_verification", "token": "unused", "challenge": "3eZbrw1aB10H"}), JSON),
    "command": slack(urllib.parse.urlencode({"token": "unused", "team_id": "T1", "channel_id": "C9", "user_id": "U123", "command": "/yard", "text": "why 12",
        "response_url": "https://hooks.slack.com/commands/T1/2/abc", "trigger_id": "13345224609.738474920.8088930838d88f008e0"}), FORM),
    "button": slack("payload=" + urllib.parse.quote(compact({"type": "block_actions", "trigger_id": "12466734323.1395872398", "user": {"id": "U123"},
        "channel": {"id": "C9"}, "container": {"message_ts": "1764000000.000300"}, "actions": [{"action_id": "yes", "value": "signed"}],
        "response_url": "https://evil.example/actions"})), FORM),
    "of_a_bot": slack_event({"type": "message", "channel_type": "im", "bot_id": "B1", "text": "x", "ts": "1", "channel": "D1", "user": "U2"}),
    "edited": slack_event({"type": "message", "channel_type": "im", "subtype": "message_changed", "ts": "1", "channel": "D1"}),
    "in_a_channel": slack_event({"type": "message", "channel_type": "channel", "text": "x", "ts": "1", "channel": "C9", "user": "U2"}),
    "direct": slack_event({"type": "message", "channel_type": "im", "text": "/help", "ts": "1", "channel": "D1", "user": "U2"}),
    "without_id": slack(compact({"type": "event_callback", "event": {"type": "app_mention"}}), JSON),
    "stale": slack("{}", JSON, NOW - 301),
}

# Feishu: SHA-256 over time, nonce, key and body; AES-256-CBC with the hash of the key, the vector in front.
FEISHU_KEY, FEISHU_TOKEN = "kudryavka", "v_token_9Kx"


def feishu_encrypted(value) -> str:
    iv = bytes(range(16))
    text = aes_256_cbc(hashlib.sha256(FEISHU_KEY.encode()).digest(), iv, padded(compact(value).encode(), 16))
    return compact({"encrypt": base64.b64encode(iv + text).decode()})


def feishu(body: str, signed: bool = True, time: int = NOW) -> dict:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    if signed:
        digest = hashlib.sha256((f"{time}n0nce{FEISHU_KEY}" + body).encode()).hexdigest()
        headers |= {"X-Lark-Request-Timestamp": str(time), "X-Lark-Request-Nonce": "n0nce", "X-Lark-Signature": digest}
    return {"headers": headers, "body": body}


def feishu_event(kind: str, event: dict, token: str = FEISHU_TOKEN) -> dict:
    header = {"event_id": "5e3702a84e847582be8db7fb73283c02", "event_type": kind, "create_time": f"{NOW}000", "token": token, "app_id": "cli_1"}
    return {"schema": "2.0", "header": header, "event": event}


FEISHU_MESSAGE = feishu_event("im.message.receive_v1", {
    "sender": {"sender_id": {"open_id": "ou_alice"}, "sender_type": "user"},
    "message": {"message_id": "om_1", "root_id": "om_0", "chat_id": "oc_9", "chat_type": "group", "message_type": "text",
                "content": compact({"text": "@_user_1 为什么 12，@_user_2？"}),
                "mentions": [{"key": "@_user_1", "name": "Yard"}, {"key": "@_user_2", "name": "李雷"}]}})
FEISHU_CHECK = {"challenge": "ajls384kdjx98XX", "token": FEISHU_TOKEN, "type": "url_verification"}
vectors["feishu"] = {
    "encrypt_key": FEISHU_KEY,
    "verification_token": FEISHU_TOKEN,
    "message": feishu(feishu_encrypted(FEISHU_MESSAGE)),
    "unsigned_message": feishu(feishu_encrypted(FEISHU_MESSAGE), signed=False),
    "button": feishu(compact(feishu_event("card.action.trigger", {
        "operator": {"open_id": "ou_alice"}, "token": "c-1", "action": {"value": {"value": "signed"}, "tag": "button"},
        "context": {"open_message_id": "om_2", "open_chat_id": "oc_9"}}))),
    "check": feishu(feishu_encrypted(FEISHU_CHECK), signed=False),
    "plain_check": feishu(compact(FEISHU_CHECK), signed=False),
    "check_with_wrong_token": feishu(feishu_encrypted(FEISHU_CHECK | {"token": "other"}), signed=False),
    "wrong_token": feishu(feishu_encrypted(feishu_event("im.message.receive_v1", {}, "other"))),
    "old": feishu(feishu_encrypted(FEISHU_MESSAGE), time=NOW - 25 * 3600),
}

# DingTalk: Base64 of HMAC-SHA256 over "time\nsecret".
DINGTALK_SECRET = "SECxxxx1234"


def dingtalk(body: str, time: int = NOW * 1000) -> dict:
    sign = base64.b64encode(hmac.new(DINGTALK_SECRET.encode(), f"{time}\n{DINGTALK_SECRET}".encode(), hashlib.sha256).digest()).decode()
    return {"headers": {"Content-Type": "application/json; charset=utf-8", "timestamp": str(time), "sign": sign}, "body": body}


vectors["dingtalk"] = {
    "app_secret": DINGTALK_SECRET,
    "message": dingtalk(compact({
        "conversationId": "cidABC==", "msgId": "msg1==", "senderNick": "Alice", "senderStaffId": "manager1", "senderId": "$:LWCP_v1:$abc",
        "sessionWebhookExpiredTime": NOW * 1000 + 5_400_000, "createAt": NOW * 1000, "conversationType": "2",
        "sessionWebhook": "https://oapi.dingtalk.com/robot/sendBySession?session=xxxx", "text": {"content": " /why 12 "}, "msgtype": "text"})),
    "stale": dingtalk("{}", NOW * 1000 - 3_600_001),
}

# WeCom: SHA-1 over the sorted parts; AES-256-CBC with the first 16 bytes of the key as vector.
WECOM_TOKEN, WECOM_KEY, WECOM_CORP = "QDG6eK", "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C", "wx5823bf96d3bd56c7"


def wecom_encrypted(text: str, receiver: str = WECOM_CORP) -> str:
    key = base64.b64decode(WECOM_KEY + "=")
    plain = b"0123456789abcdef" + struct.pack(">I", len(text.encode())) + text.encode() + receiver.encode()
    return base64.b64encode(aes_256_cbc(key, key[:16], padded(plain, 32))).decode()


def wecom(encrypted: str, check: bool = False) -> dict:
    parts = "".join(sorted([WECOM_TOKEN, str(NOW), "1372623149", encrypted]))
    query = {"msg_signature": hashlib.sha1(parts.encode()).hexdigest(), "timestamp": str(NOW), "nonce": "1372623149"}
    if check:
        return {"headers": {}, "query": urllib.parse.urlencode(query | {"echostr": encrypted}), "body": ""}
    body = f"<xml><ToUserName><![CDATA[{WECOM_CORP}]]></ToUserName><Encrypt><![CDATA[{encrypted}]]></Encrypt><AgentID><![CDATA[218]]></AgentID></xml>"
    return {"headers": {"Content-Type": "text/xml"}, "query": urllib.parse.urlencode(query), "body": body}


def wecom_message(inside: str) -> str:
    return f"<xml><ToUserName>{WECOM_CORP}</ToUserName><FromUserName><![CDATA[mycreate]]></FromUserName><CreateTime>{NOW}</CreateTime>{inside}<AgentID>218</AgentID></xml>"


WECOM_TEXT = wecom_message("<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[为什么 12 < 13]]></Content><MsgId>4561255354251345929</MsgId>")
vectors["wecom"] = {
    "token": WECOM_TOKEN, "encoding_aes_key": WECOM_KEY, "corp_id": WECOM_CORP,
    "check": wecom(wecom_encrypted("1616140317555161061"), check=True),
    "message": wecom(wecom_encrypted(WECOM_TEXT)),
    "button": wecom(wecom_encrypted(wecom_message("<MsgType>event</MsgType><Event>template_card_event</Event><EventKey>signed</EventKey>"
                                                  "<TaskId>task1</TaskId><ResponseCode>rc1</ResponseCode>"))),
    "another_receiver": wecom(wecom_encrypted(WECOM_TEXT, "wx0000000000000000")),
    "with_entities": wecom(wecom_encrypted('<!DOCTYPE xml [<!ENTITY a "b">]>' + WECOM_TEXT)),
}

# Mattermost: the token itself.
vectors["mattermost"] = {"token": "xr3j5x3p4pfk7kk6ck7b4e6ghh"}

path = pathlib.Path(__file__).with_name("vectors.json")
path.write_text(json.dumps(vectors, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
