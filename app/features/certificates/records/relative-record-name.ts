/**
 * Returns a record's name as most DNS providers expect it: without the registered domain, or `@` for the
 * domain itself. Null when only the full name is known.
 */
export function relativeRecordName(name: string, registeredDomain: string | null): string | null {
  if (registeredDomain === null) return null;
  if (name === registeredDomain) return '@';
  const suffix = `.${registeredDomain}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;
}
