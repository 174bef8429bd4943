import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { Bundle, DnsFact, DnsReport } from '#server/services/certificates/schema.ts';

/** A fact of the checklist; `checking` before the first report has arrived. */
export type ShownFact = Omit<DnsFact, 'status'> & { status: DnsFact['status'] | 'checking' };

/** What proves the hostname first, then what brings visitors. */
const ORDER: readonly DnsFact['fact'][] = ['challenge', 'traffic', 'caa'];

/**
 * Returns the facts of the checklist: those of the report, and until it arrives those known without an
 * inspection.
 */
export function factsToShow(
  { hostname, cname_target }: Pick<Endpoint, 'hostname' | 'cname_target'>,
  { challenge_name: name, challenge_target }: Pick<Bundle, 'challenge_name' | 'challenge_target'>,
  report: DnsReport | undefined,
): ShownFact[] {
  if (report && report.facts.length > 0) {
    return report.facts.toSorted((a, b) => ORDER.indexOf(a.fact) - ORDER.indexOf(b.fact));
  }
  const unknown: Pick<ShownFact, 'type' | 'found' | 'problem' | 'status'> = {
    type: 'CNAME',
    found: [],
    problem: null,
    status: 'checking',
  };
  const traffic: ShownFact = { ...unknown, fact: 'traffic', name: hostname, expected: [cname_target] };
  return [{ ...unknown, fact: 'challenge', name, expected: [challenge_target] }, traffic];
}
