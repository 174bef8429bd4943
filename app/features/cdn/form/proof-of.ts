import { readError } from '../../../i18n/errors/read-error.ts';
import type { DnsRecord } from '../../certificates/records/record-table.tsx';

/**
 * Returns the record with which a hostname that another organization holds can be claimed; null when a
 * refusal names none.
 */
export function proofOf(error: unknown): DnsRecord | null {
  const { name, target } = readError(error)?.params ?? {};
  return typeof name === 'string' && typeof target === 'string'
    ? { name, type: 'CNAME', value: target }
    : null;
}
