const LENGTH_MAX = 500;

/** Returns an address that a page may link to or show a picture from, or null for anything else. */
export function webAddressOrNull(value: string | null | undefined): string | null {
  const address = value?.trim() ?? '';
  if (address.length > LENGTH_MAX || !/^https?:\/\/\P{Cc}+$/iu.test(address)) return null;
  return URL.canParse(address) ? address : null;
}

/**
 * Returns a text of one line without space around it and no longer than `max`, or null for an empty one. It comes out of
 * every database as it is here: what somebody writes into a profile elsewhere must not stop the reading of memberships.
 */
export function textOrNull(value: string | null | undefined, max: number): string | null {
  const text = (value ?? '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
  return text === '' ? null : text;
}
