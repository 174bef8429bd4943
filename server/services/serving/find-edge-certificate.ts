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

/** A certificate with its key as in the database: sealed under the master key for its bundle. */
export interface SealedCertificate {
  readonly bundleId: string;
  readonly serialNumber: string | null;
  /** PEM, leaf first. */
  readonly chain: string;
  readonly privateKeySealed: string;
}

/**
 * Returns the certificate that the edge presents for a TLS server name: that of the name itself, otherwise
 * the wildcard of its parent. An expired one is returned too: the browser then says what is wrong, while
 * another name's certificate would look like an attack.
 */
export async function findSealedCertificate(app: App, hostname: string): Promise<SealedCertificate | null> {
  const dot = hostname.indexOf('.');
  const rows = await selectCertificates(app.db, hostname, dot < 0 ? hostname : `*${hostname.slice(dot)}`);
  const now = app.clock.now();
  const holds = (row: (typeof rows)[number]) => row.valid_until !== null && row.valid_until > now;
  const own = rows.find((row) => row.domain_name === hostname);
  const wildcard = rows.find((row) => row.domain_name !== hostname);
  const chosen = own && (holds(own) || !wildcard || !holds(wildcard)) ? own : wildcard;
  if (!chosen?.certificate || !chosen.private_key_sealed) return null;
  return {
    bundleId: chosen.id,
    serialNumber: chosen.serial_number,
    chain: chosen.certificate,
    privateKeySealed: chosen.private_key_sealed,
  };
}

/** @throws when the key was sealed under another master key */
export function openCertificate({ sealer }: Pick<App, 'sealer'>, sealed: SealedCertificate): EdgeCertificate {
  const { bundleId, serialNumber, chain, privateKeySealed } = sealed;
  return { id: `${bundleId} ${serialNumber}`, chain, privateKey: sealer.open(privateKeySealed, bundleId) };
}
