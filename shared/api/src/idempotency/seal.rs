//! The encryption of stored responses with a key derived from the caller's credential.

use domain::Failure;
use domain::port::{Random, random_bytes};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};

use super::Scope;

impl Scope {
    /// Derives the encryption key for this credential and request: HKDF over the bearer value, with the record's hash
    /// as info.
    fn key(&self) -> Result<LessSafeKey, Failure> {
        let salt = Salt::new(HKDF_SHA256, b"idempotent answer");
        let derived = salt.extract(self.credential.expose().as_bytes());
        let info = [self.record.hash.as_bytes()];
        let key = derived.expand(&info, &AES_256_GCM).map_err(|_| Failure::internal("key derivation failed"))?;
        Ok(LessSafeKey::new(UnboundKey::from(key)))
    }

    pub(super) fn seal(&self, body: &[u8], random: &dyn Random) -> Result<Vec<u8>, Failure> {
        let nonce = random_bytes::<NONCE_LEN>(random);
        let mut sealed = body.to_vec();
        self.key()?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
            .map_err(|_| Failure::internal("encrypting a response failed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    pub(super) fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        let broken = || Failure::internal("decrypting a stored response failed");
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN).ok_or_else(broken)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| broken())?;
        let mut body = sealed.to_vec();
        let length = self.key()?.open_in_place(nonce, Aad::empty(), &mut body).map_err(|_| broken())?.len();
        body.truncate(length);
        Ok(body)
    }
}
