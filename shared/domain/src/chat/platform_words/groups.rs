//! The platform's codes for groups.

use super::{Words, words};

pub(super) const WORDS: &[Words] = &[
    words(
        131_020,
        "Bad group",
        "The group has no other member, so nobody would receive the message. Invite somebody first.",
    ),
    words(
        131_041,
        "Group unknown",
        "The group does not exist, or the number is no longer in it. List the groups of the number.",
    ),
    words(131_059, "Invalid cursor", "The cursor of a list is damaged or too old. Begin the list from the start."),
    words(
        131_201,
        "Request partially succeeded",
        "The change of the group succeeded for some of its people only. The response says for whom it failed.",
    ),
    words(131_202, "Duplicate participant", "The same person is twice in the request. Name everybody once."),
    words(
        131_203,
        "Unable to add participant to group",
        "This person cannot join the group, for example because they have not accepted WhatsApp's new terms.",
    ),
    words(
        131_204,
        "Participant overlimit",
        "The group would have more people than WhatsApp allows. Remove somebody, or create another group.",
    ),
    words(
        131_207,
        "Group suspended",
        "WhatsApp has suspended the group for violating a policy. Nothing can be sent to it.",
    ),
    words(131_208, "Group rate limit hit", "There were too many messages or changes of groups in a short time."),
    words(
        131_209,
        "Invalid Group Profile Picture Aspect Ratio",
        "The picture of the group must be as wide as it is high. Crop it to a square.",
    ),
    words(
        131_210,
        "Image is Too Small to Process",
        "The picture of the group must be larger than 192 pixels on each side.",
    ),
    words(
        131_211,
        "Group create limit reached",
        "The number has as many groups as WhatsApp allows. Delete some that are no longer used.",
    ),
    words(
        131_212,
        "Participant is not a part of the group.",
        "This person is not in the group, so there is nothing to remove.",
    ),
    words(
        131_213,
        "Group join request does not exist.",
        "The request to join the group no longer exists. It was withdrawn, or already decided.",
    ),
    words(
        131_214,
        "Group creation is temporarily disabled",
        "WhatsApp stops new groups of this account, which sent too many marketing messages in the last seven days.",
    ),
    words(
        131_215,
        "Groups are not available for this business",
        "WhatsApp does not allow this business to use groups.",
    ),
];
