import type { CaaRecord, DnsLookup } from '#server/dns-client/dns-lookup.ts';
import type { DnsFact } from '../schema.ts';
import { isIssueAllowed, issueTag } from './caa-rules.ts';
import { describeRecords } from './describe-record.ts';

/**
 * Looks up who may issue for a domain name, as an authority does (RFC 8659, 3): from the name upwards, the
 * first name with CAA records decides, and aliases are followed.
 * @param identities CAA names of our authority; empty when CAA does not apply, null when they could not be
 * read
 */
export async function inspectCaa(
  lookup: DnsLookup,
  domainName: string,
  identities: readonly string[] | null,
): Promise<DnsFact> {
  const name = domainName.replace(/^\*\./, '');
  const isWildcard = name !== domainName;
  const base = { fact: 'caa', name, type: 'CAA', expected: [] as string[], found: [] as string[] } as const;
  if (identities?.length === 0) return { ...base, status: 'ok', problem: null };
  const labels = name.split('.');
  const names = labels.map((_, index) => labels.slice(index).join('.'));
  const answers = await Promise.all(names.map((each) => lookup.caa(each)));
  for (const [index, answer] of answers.entries()) {
    if (answer.kind === 'timeout' || answer.kind === 'failed') {
      const problem = answer.kind === 'timeout' ? 'resolver_timeout' : 'resolver_failed';
      return { ...base, name: names[index] ?? name, status: 'unknown', problem };
    }
    if (answer.kind !== 'found') continue;
    const { records } = answer;
    const tag = issueTag(records, isWildcard);
    const fact = {
      ...base,
      name: names[index] ?? name,
      expected: (identities ?? []).map((identity) => `0 ${tag} "${identity}"`),
      found: describeRecords('CAA', records.map(toZoneText)),
    };
    if (identities === null) return { ...fact, status: 'unknown', problem: null };
    const isAllowed = isIssueAllowed(
      records,
      identities.map((identity) => identity.toLowerCase()),
      isWildcard,
    );
    return isAllowed
      ? { ...fact, status: 'ok', problem: null }
      : { ...fact, status: 'wrong', problem: 'caa_forbids' };
  }
  return { ...base, status: 'ok', problem: null };
}

function toZoneText({ isCritical, tag, value }: CaaRecord): string {
  return `${isCritical ? 128 : 0} ${tag} "${value.replace(/["\\]/g, '\\$&')}"`;
}
