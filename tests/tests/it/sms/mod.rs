//! Phone numbers, the carrier, and SMS messages.

mod carrier_tour;
mod carrier_updates;
mod linked_numbers;
mod messages;
mod phone_numbers;
