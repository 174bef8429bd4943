/**
 * The cost of a month, calculated a second time: from the price list of the specification and the tax rates
 * of 2026, without any of the program's own calculations. Everything is in tenths of thousandths of a cent or
 * in whole cents, never in fractions.
 */

/** What was counted in a month. */
export interface CountedMonth {
  sites: number;
  endpoints: number;
  bytes: bigint;
  requests: bigint;
  /** Bytes in buckets times hours; nothing where there is no price of storage. */
  byteHours?: bigint;
}

/** The expected invoice for it, in cents. */
export interface ExpectedInvoice {
  site_cents: number;
  cdn_endpoint_cents: number;
  bandwidth_cents: number;
  request_cents: number;
  storage_cents: number;
  subtotal_cents: number;
  /** By the name of the tax. */
  taxes: Record<string, number>;
  total_cents: number;
}

/** Percent, in thousandths, by the name of the tax. */
const RATES: Record<string, Record<string, bigint>> = {
  AB: { GST: 5_000n },
  BC: { GST: 5_000n, PST: 7_000n },
  MB: { GST: 5_000n, RST: 7_000n },
  NB: { HST: 15_000n },
  NL: { HST: 15_000n },
  NS: { HST: 14_000n },
  NT: { GST: 5_000n },
  NU: { GST: 5_000n },
  ON: { HST: 13_000n },
  PE: { HST: 15_000n },
  QC: { GST: 5_000n, QST: 9_975n },
  SK: { GST: 5_000n, PST: 6_000n },
  YT: { GST: 5_000n },
};
export const TAXED_PROVINCES = Object.keys(RATES);

/** $0.10 for 1,073,741,824 bytes, rounded once, half a cent up. */
export function bandwidthCents(bytes: bigint): number {
  return halfUp(bytes * 10n, 1_073_741_824n);
}

/** $1.00 for a million, rounded once, half a cent up. */
export function requestCents(requests: bigint): number {
  return halfUp(requests, 10_000n);
}

/** So many thousandths of a cent for 1,073,741,824 bytes that are stored for 730 hours, rounded once, half a cent up. */
export function storageCents(byteHours: bigint, millicents: bigint): number {
  return halfUp(byteHours * millicents, 1_000n * 730n * 1_073_741_824n);
}

/**
 * Returns the expected invoice of a month in a province; outside of Canada (null) there are no taxes.
 * @param storageMillicents what storage costs, in thousandths of a cent for a GB and a month
 */
export function secondOpinion(
  counted: CountedMonth,
  province: string | null,
  storageMillicents = 0n,
): ExpectedInvoice {
  const lines = {
    site_cents: 300 * counted.sites,
    cdn_endpoint_cents: 200 * counted.endpoints,
    bandwidth_cents: bandwidthCents(counted.bytes),
    request_cents: requestCents(counted.requests),
    storage_cents: storageCents(counted.byteHours ?? 0n, storageMillicents),
  };
  const subtotal_cents = Object.values(lines).reduce((sum, cents) => sum + cents, 0);
  const rates = province === null ? {} : (RATES[province] ?? {});
  const taxes = Object.fromEntries(
    Object.entries(rates).map(([name, rate]) => [name, halfUp(BigInt(subtotal_cents) * rate, 100_000n)]),
  );
  const total_cents = Object.values(taxes).reduce((sum, cents) => sum + cents, subtotal_cents);
  return { ...lines, subtotal_cents, taxes, total_cents };
}

function halfUp(numerator: bigint, denominator: bigint): number {
  const whole = numerator / denominator;
  const rest = numerator % denominator;
  return Number(rest * 2n >= denominator ? whole + 1n : whole);
}
