/**
 * Returns what most DNS providers expect in the field "name": the name without the registered domain, `@` for
 * the domain itself. Null when only the full name is known.
 */
export function relativeRecordName(name: string, registeredDomain: string | null): string | null {
  if (registeredDomain === null) return null;
  if (name === registeredDomain) return '@';
  const suffix = `.${registeredDomain}`;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;
}
