/** A CAA record as it is found, its tag in lower case. */
export interface CaaProperty {
  isCritical: boolean;
  tag: string;
  value: string;
}

/**
 * Tags that do not restrict certificates for a web server (RFC 8659, 9495, 8657 and the registry at IANA).
 */
const HARMLESS_TAGS: ReadonlySet<string> = new Set([
  'iodef',
  'contactemail',
  'contactphone',
  'issuemail',
  'issuevmc',
]);
/** How this installation proves names; `validationmethods` may exclude it (RFC 8657). */
const OUR_METHOD = 'dns-01';

/**
 * Whether these records, the nearest that a name has, allow one of the authorities to issue (RFC 8659, 4). No
 * records, or none about issuing, allow every authority. A named account is not compared: the authority knows
 * which one it is.
 */
export function isIssueAllowed(
  records: readonly CaaProperty[],
  identities: readonly string[],
  isWildcard: boolean,
): boolean {
  const isUnderstood = (tag: string) => tag === 'issue' || tag === 'issuewild' || HARMLESS_TAGS.has(tag);
  if (records.some(({ isCritical, tag }) => isCritical && !isUnderstood(tag))) return false;
  const tag = issueTag(records, isWildcard);
  const relevant = records.filter((record) => record.tag === tag);
  if (relevant.length === 0) return true;
  return relevant.some(({ value }) => {
    const issuer = readIssuer(value);
    return issuer !== null && identities.includes(issuer.domain) && allowsOurMethod(issuer.parameters);
  });
}

/** The property that decides: for a wildcard `issuewild` if present, otherwise `issue`. */
export function issueTag(records: readonly CaaProperty[], isWildcard: boolean): 'issue' | 'issuewild' {
  return isWildcard && records.some(({ tag }) => tag === 'issuewild') ? 'issuewild' : 'issue';
}

/** `letsencrypt.org; validationmethods=dns-01`; null for a malformed value, which allows no authority. */
function readIssuer(value: string): { domain: string; parameters: [string, string][] } | null {
  const [domain = '', ...rest] = value.split(';').map((part) => part.trim());
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(domain)) return null;
  const parameters: [string, string][] = [];
  for (const part of rest) {
    if (part === '') continue;
    const [, name, text] = /^([a-z0-9-]+)\s*=\s*([!-~]*)$/i.exec(part) ?? [];
    if (name === undefined || text === undefined) return null;
    parameters.push([name.toLowerCase(), text]);
  }
  return { domain: domain.toLowerCase(), parameters };
}

function allowsOurMethod(parameters: readonly [string, string][]): boolean {
  return parameters
    .filter(([name]) => name === 'validationmethods')
    .every(([, methods]) => methods.toLowerCase().split(',').includes(OUR_METHOD));
}
