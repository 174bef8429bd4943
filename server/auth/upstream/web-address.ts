const LENGTH_MAX = 500;

/** Returns an address that a page may link to or show a picture from, or null for anything else. */
export function webAddressOrNull(value: string | null | undefined): string | null {
  const address = value?.trim() ?? '';
  if (address === '' || address.length > LENGTH_MAX || !/^https?:\/\//i.test(address)) return null;
  return URL.canParse(address) ? address : null;
}

/** Returns a text without space around it and no longer than `max`, or null for an empty one. */
export function textOrNull(value: string | null | undefined, max: number): string | null {
  const text = value?.trim().slice(0, max) ?? '';
  return text === '' ? null : text;
}
