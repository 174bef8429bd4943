const LENGTH_MAX = 500;

/** Returns an address that a page may link to or show a picture from, or null for anything else. */
export function webAddressOrNull(value: string | null | undefined): string | null {
  const address = value?.trim() ?? '';
  if (address.length > LENGTH_MAX || !/^https?:\/\/\P{Cc}+$/iu.test(address)) return null;
  return URL.canParse(address) ? address : null;
}

/**
 * Returns text on one line, trimmed and no longer than `max`, or null for empty text. Every database returns
 * it unchanged: a strange profile at the issuer must not prevent reading memberships.
 */
export function textOrNull(value: string | null | undefined, max: number): string | null {
  const text = (value ?? '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
  return text === '' ? null : text;
}
