import { preparedQuery } from '#db/prepared-query.ts';
import type { App } from '#server/context.ts';
import type { EdgeCertificate } from '#server/edge/ports.ts';

const selectCertificates = preparedQuery((executor, name: string, wildcard: string) =>
  executor
    .selectFrom('certificate_bundles')
    .select(['id', 'domain_name', 'certificate', 'private_key_sealed', 'serial_number', 'valid_until'])
    .where('domain_name', 'in', [name, wildcard])
    .where('certificate', 'is not', null),
);

/**
 * Returns the certificate that the edge presents for a TLS server name: that of the name itself, otherwise
 * the wildcard of its parent. An expired one is returned too: the browser then says what is wrong, while
 * another name's certificate would look like an attack.
 */
export async function findEdgeCertificate(app: App, hostname: string): Promise<EdgeCertificate | null> {
  const dot = hostname.indexOf('.');
  const rows = await selectCertificates(app.db, hostname, dot < 0 ? hostname : `*${hostname.slice(dot)}`);
  const now = app.clock.now();
  const holds = (row: (typeof rows)[number]) => row.valid_until !== null && row.valid_until > now;
  const own = rows.find((row) => row.domain_name === hostname);
  const wildcard = rows.find((row) => row.domain_name !== hostname);
  const chosen = own && (holds(own) || !wildcard || !holds(wildcard)) ? own : wildcard;
  if (!chosen?.certificate || !chosen.private_key_sealed) return null;
  return {
    id: `${chosen.id} ${chosen.serial_number}`,
    chain: chosen.certificate,
    privateKey: app.sealer.open(chosen.private_key_sealed, chosen.id),
  };
}
