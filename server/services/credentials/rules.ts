import { DAY_MS } from '#server/durations.ts';
/** The choices of the create dialog in days; null is "never". */
export const EXPIRATION_DAYS = [null, 30, 90, 180, 365] as const;

/** Returns the time `days` from `now` in ISO form, or undefined for never. */
export function expiresAfter(days: number | null, now: number): string | undefined {
  return days === null ? undefined : new Date(now + days * DAY_MS).toISOString();
}

/** Whether a credential is currently usable. */
export function isUsable(credential: { is_active: number; expires_at: number | null }, now: number): boolean {
  return credential.is_active === 1 && (credential.expires_at === null || credential.expires_at > now);
}

/** Prefixes of public and secret keys, so that people and secret scanners recognize them. */
export const PUBLIC_KEY_PREFIX = 'ptgpk_';
export const SECRET_KEY_PREFIX = 'ptgsk_';

export const PUBLIC_KEY_LETTERS = '0123456789abcdefghijklmnopqrstuvwxyz';
export const PUBLIC_KEY_LENGTH = 20;
const PUBLIC_KEY_FORM = new RegExp(`^${PUBLIC_KEY_PREFIX}[${PUBLIC_KEY_LETTERS}]{${PUBLIC_KEY_LENGTH}}$`);

/** Whether a text can be one of our public keys: nothing else is looked up. */
export function isPublicKey(text: string): boolean {
  return PUBLIC_KEY_FORM.test(text);
}
