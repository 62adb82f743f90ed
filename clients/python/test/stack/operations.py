"""Calls each operation of the library once on the local stack, whose address and keys are in the environment, and
compares what was called with the document."""

from __future__ import annotations

import base64
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx

from clients import APP_ID, admin, app, phone, recorded, until, with_key
from messaging_api import EventName, Progress

NAME = "Of Python"
HOOK_EVENTS: list[EventName] = ["messages.sms.received"]
SINCE = "2026-01-01T00:00:00Z"
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=")


def people() -> None:
    members = admin.organization.members
    email = f"{uuid.uuid4()}@example.com"
    member = members.create(email=email, role="SUPPORT")
    assert members.list().page().data
    assert members.get(member.id).email == email
    assert members.update(member.id, name="Ann").name == "Ann"
    token = members.create_sign_in_link(member.id).url.split("#")[1]
    assert with_key(token).sign_in.link.get().email == email
    begun = with_key(token).sign_in.link.redeem(token=token, as_="bearer")
    assert begun.session_token is not None
    session = with_key(begun.session_token).session
    begun = session.switch(member_id=member.id)
    assert begun.session_token is not None
    session = with_key(begun.session_token).session
    assert session.get().member.email == email
    assert session.create_key(mode="test").key
    session.delete()
    members.delete(member.id)


def organization() -> None:
    admin.organization.settings.update(name=admin.organization.settings.get()["name"])
    admin.organization.rate_card.update(currency="EUR", prices=admin.organization.rate_card.get()["prices"])
    key = admin.organization.admin_keys.create(name=NAME)
    assert admin.organization.admin_keys.list().page().data
    assert admin.organization.admin_keys.update(key.id, name="Renamed", allowed_ips=None).name == "Renamed"
    assert admin.organization.admin_keys.rotate(key.id).key != key.key
    admin.organization.admin_keys.delete(key.id)
    assert admin.organization.audit_log.list(target=key.id).page().data[0].action == "organization.adminKeys.delete"
    apps = admin.organization.apps
    apps.list().page()
    made = apps.create(name=NAME, test=True)
    apps.get(made.id)
    assert apps.update(made.id, name="Renamed").name == "Renamed"
    apps.calling.update(made.id, voicemail_enabled=True)
    assert apps.calling.get(made.id).voicemail_enabled
    own = apps.keys.create(made.id)
    apps.keys.list(made.id).page()
    apps.keys.update(made.id, own.id, expires_at=None)
    apps.keys.rotate(made.id, own.id, grace_period_seconds=0)
    apps.keys.delete(made.id, own.id)
    number = admin.organization.phone_numbers.create(number=phone(), test=True)
    admin.organization.phone_numbers.list().page()
    admin.organization.phone_numbers.get(number.id)
    apps.phone_numbers.assign(APP_ID, number.id)
    apps.phone_numbers.unassign(APP_ID, number.id)
    admin.organization.phone_numbers.delete(number.id)
    apps.delete(made.id)


def accounts() -> None:
    chat = admin.organization.chat
    waba = str(time.time_ns() // 1_000_000)
    connected = chat.business_profiles.connect(access_token=f"token.{waba}1", waba_id=f"{waba}1", test=True)
    signed_up = chat.business_profiles.complete_signup(code=f"code.{waba}2", waba_id=f"{waba}2", test=True)
    chat.business_profiles.list().page()
    profile = chat.business_profiles.get(signed_up.id)
    chat.business_profiles.disconnect(connected.id)
    chat.platform_check.get(profile_id=profile.id)
    chat.templates.sync(chat_business_profile_id=profile.id)
    numbers_of(profile.id, waba)
    onboarding()
    templates(profile.id)


def numbers_of(profile: str, waba: str) -> None:
    numbers = admin.organization.chat.phone_numbers
    found = numbers.list(chat_business_profile_id=profile).page().data
    first = next(number for number in found if number.provider_phone_number_id.endswith("01"))
    numbers.get(first.id)
    # The sync adds a third number to a simulated account. Its digits follow those of the other two.
    digits = f"+{int(first.display_phone_number) + 2}"
    numbers.register(
        display_phone_number=digits, provider_phone_number_id=f"{waba}203", provider_business_account_id=f"{waba}2"
    )
    numbers.business_profile.update(first.id, about="Open from 9 to 5")
    assert numbers.business_profile.get(first.id).about == "Open from 9 to 5"
    numbers.request_code(first.id, code_method="SMS", language="en_US")
    numbers.verify_code(first.id, code="123830")
    numbers.pin.update(first.id, pin="482915")
    assert numbers.deregister(first.id).cloud_api_registered is False
    assert numbers.register_again(first.id, pin="482915").cloud_api_registered


def onboarding() -> None:
    links = admin.organization.chat.onboarding_links
    link = links.create(success_url="https://example.com/done", failure_url="https://example.com/failed", test=True)
    links.list().page()
    links.get(link.id)
    links.cancel(link.id)


def templates(profile: str) -> None:
    templates = admin.organization.chat.templates
    template = templates.create(
        chat_business_profile_id=profile, name="of_python", language="en_US", category="UTILITY",
        components=[{"type": "BODY", "text": "Hello."}],
    )
    # Of a dry run, the result would be a draft without an id.
    created: str = template["id"]
    templates.list(chat_business_profile_id=profile).page()
    until("the template is approved", lambda: templates.get(created).status == "APPROVED")
    templates.update(created, components=[{"type": "BODY", "text": "Hello again."}])
    templates.delete(created)


def messages() -> None:
    chat_number, sms_number = numbers()
    sent = app.chat.messages.send(from_=chat_number, to="+12025550123", type="text", text={"body": "Hello"})
    assert sent.outcome == "ACCEPTED"
    assert app.chat.messages.wait_for(sent.id, status="READ").recipients[0].status == "READ"
    assert any(message.id == sent.id for message in app.chat.messages.list(chat_phone_number_id=chat_number, limit=1))
    admin.organization.chat.messages.list(chat_phone_number_id=chat_number).page()
    admin.organization.chat.messages.get(sent.id)
    assert app.chat.messages.timeline.list(sent.id).page().data[0]["kind"] == "REQUESTED"
    admin.organization.chat.messages.timeline.list(sent.id).page()

    user = app.playground.chat.user_numbers.create().number
    admin.organization.playground.chat.user_numbers.list()
    inbound = app.playground.chat.simulate_inbound(from_=user, type="text", text={"body": "Hi"})
    app.chat.messages.mark_read(message_id=inbound.id)
    app.chat.messages.show_typing(message_id=inbound.id)

    sms = app.sms.send(from_=sms_number, to="+12025550123", text="Hello")
    assert app.sms.wait_for(sms.id, status="DELIVERED").status == "DELIVERED"
    app.sms.list(phone_number_id=sms_number).page()
    admin.organization.sms.messages.list(phone_number_id=sms_number).page()
    admin.organization.sms.messages.get(sms.id)
    app.sms.timeline.list(sms.id).page()
    admin.organization.sms.messages.timeline.list(sms.id).page()
    app.failures.list().page()
    admin.organization.failures.list().page()
    app.usage.list(group_by="channel").page()
    admin.organization.usage.list().page()
    admin.organization.attention.list().page()
    system, *_ = app.playground.system_numbers.list().numbers
    app.playground.sms.simulate_inbound(from_="+442079460123", to=system, text="Hi")

    app.chat.templates.list(chat_phone_number_id=chat_number).page()
    blocked = app.chat.phone_numbers.blocked_users
    blocked.block(chat_number, users=[user])
    blocked.list(chat_number).page()
    blocked.unblock(chat_number, users=[user])
    app.phone_numbers.unassign(sms_number)
    app.phone_numbers.assign(phone_number_id=sms_number)


def numbers() -> tuple[str, str]:
    """Returns the ids of the app's WhatsApp number and of one of its SMS numbers."""
    found = {number.kind: number.id for number in app.phone_numbers.list(limit=1)}
    return found["chat"], found["sms"]


def groups() -> None:
    number, _ = numbers()
    groups = app.chat.groups
    group = groups.create(chat_phone_number_id=number, subject="Friends", join_approval_mode="approval_required")
    until("the group is active", lambda: groups.get(group.id).status == "ACTIVE")
    groups.list(chat_phone_number_id=number).page()
    groups.update(group.id, subject="Foes")
    groups.replace_invite_link(group.id)
    groups.join_requests.list(group.id).page()
    groups.join_requests.approve(group.id, join_request_ids=["join-unknown-1"])
    groups.join_requests.reject(group.id, join_request_ids=["join-unknown-2"])
    groups.participants.add(group.id, participants=["+12025550123"])
    groups.participants.remove(group.id, participants=["+12025550123"])
    groups.delete(group.id)


def media() -> None:
    small = app.media.upload(PNG, file_name="a.png")
    assert httpx.get(app.media.get(small.id).url).content == PNG
    app.media.delete(small.id)
    text = b"x" * (5 * 1024 * 1024)
    reports: list[Progress] = []
    large = app.media.upload(text, file_name="a.txt", on_progress=reports.append)
    assert large.file_size == len(text)
    assert reports[-1] == Progress(len(text), len(text))


def webhooks() -> None:
    own = app.webhooks
    made = own.create(url="https://example.com/a", events=HOOK_EVENTS)
    own.list().page()
    own.get(made.id)
    own.update(made.id, url="https://example.com/b")
    own.rotate_secret(made.id)
    delivery = own.test(made.id)
    own.deliveries.list(made.id).page()
    own.deliveries.get(made.id, delivery.id)
    own.deliveries.redeliver(made.id, delivery.id)
    recovery = own.recover(made.id, since=SINCE, dry_run=True)
    own.recoveries.get(made.id, recovery.id)
    own.delete(made.id)


def webhooks_of_an_app() -> None:
    any_app = admin.organization.apps.webhooks
    made = any_app.create(APP_ID, url="https://example.com/a", events=HOOK_EVENTS)
    any_app.list(APP_ID).page()
    any_app.get(APP_ID, made.id)
    any_app.update(APP_ID, made.id, url="https://example.com/b")
    any_app.rotate_secret(APP_ID, made.id, grace_period_seconds=3600)
    delivery = any_app.test(APP_ID, made.id, event="messages.sms.received")
    any_app.deliveries.list(APP_ID, made.id).page()
    any_app.deliveries.get(APP_ID, made.id, delivery.id)
    any_app.deliveries.redeliver(APP_ID, made.id, delivery.id)
    recovery = any_app.recover(APP_ID, made.id, since=SINCE, dry_run=True)
    any_app.recoveries.get(APP_ID, made.id, recovery.id)
    any_app.delete(APP_ID, made.id)


def events() -> None:
    event = next(app.events.follow(after="oldest", types=["messages.chat.read", "messages.sms.delivered"]))
    assert event.type in ("messages.chat.read", "messages.sms.delivered") and event.data.id
    assert admin.organization.events.get(event.id).event.id == event.id
    page = admin.organization.apps.events.list(APP_ID, after="oldest")
    assert page.data[0].id and page.next_after
    assert app.events.list(after="oldest", limit=1).data[0].sequence == page.data[0].sequence


def playground() -> None:
    target, _ = numbers()
    app.playground.notifications.simulate(field="account_review_update", target=target, value={"decision": "APPROVED"})
    assert app.playground.scenarios.list().data
    simulation = app.playground.simulations.run(scenario="account_rejected", target=target)
    app.playground.simulations.get(simulation.id)


def reference() -> None:
    assert app.health.get().status == "ok"
    assert app.errors.list().data


def main() -> None:
    apart: list[Callable[[], None]] = [
        organization, people, accounts, messages, groups, media, webhooks, webhooks_of_an_app, reference,
    ]
    # Most of this waits for what the service does later.
    with ThreadPoolExecutor(len(apart)) as pool:
        for done in [pool.submit(call) for call in apart]:
            done.result()
    events()
    playground()
    if uncalled := recorded.uncalled(app.openapi.get().to_dict()):
        sys.exit(f"These operations were not called, or never with success: {', '.join(uncalled)}")
    print(f"{len(recorded.calls)} requests")


if __name__ == "__main__":
    main()
