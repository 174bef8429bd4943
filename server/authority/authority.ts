/** How an order stands at the authority. */
export interface AuthorityOrder {
  /** `pending`: something has to be proven first; `processing`: the authority is at work; ask again. */
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  /** TXT values that have to stand at the challenge name, all of them, before the challenges are answered. */
  txtValues: readonly string[];
  /** The authority's own words when the order is invalid. */
  problem: string | null;
  /** The authority looked, did not see the values, and looks once more when the challenges are answered again. */
  isUnseen: boolean;
}

/** When a certificate should be renewed, by the authority's own word (ARI, RFC 9773). Epoch milliseconds. */
export interface RenewalWindow {
  start: number;
  end: number;
  /** When to ask again. */
  askAgainAt: number;
}

/** Somebody who issues certificates: an ACME server, or this installation itself. An order survives a restart by its url. */
export interface CertificateAuthority {
  /** Which authority, and which account of it: orders and limits belong to it. */
  readonly name: string;
  /** How people call it, e.g. `acme-v02.api.letsencrypt.org` or `local`. */
  readonly title: string;
  /** Whether names have to be proven by DNS; the local authority believes. */
  readonly needsProof: boolean;
  /**
   * Domain names of which a CAA record has to name one; empty where CAA does not matter.
   * @throws AuthorityError while they were never learnt
   */
  caaIdentities(): Promise<readonly string[]>;
  /** Opens an order and answers its url. @param replaces PEM of the certificate that it renews @throws AuthorityError */
  openOrder(domains: readonly string[], replaces: string | null): Promise<string>;
  /** @throws AuthorityError, `gone` when the order does not exist any more */
  readOrder(orderUrl: string): Promise<AuthorityOrder>;
  /** Says that the TXT values stand. Answering twice is harmless. @throws AuthorityError */
  answerChallenges(orderUrl: string): Promise<void>;
  /** Hands in the request (PEM); only for an order that is `ready`. @throws AuthorityError */
  finalize(orderUrl: string, csr: string): Promise<void>;
  /** Returns the PEM chain of a `valid` order, leaf first. @throws AuthorityError */
  download(orderUrl: string): Promise<string>;
  /** Null where the authority has no opinion. @throws AuthorityError */
  findRenewalWindow(certificate: string): Promise<RenewalWindow | null>;
}

/**
 * Why an authority did not do what was asked. `unavailable`: try again; `limited`: not before `retryAt`; `refused`: it said
 * no, and will again; `caa`: a CAA record forbids it; `gone`: the order is unknown or expired.
 */
export class AuthorityError extends Error {
  override name = 'AuthorityError';
  readonly kind: 'unavailable' | 'limited' | 'refused' | 'caa' | 'gone';
  /** Epoch milliseconds, where the authority said when. */
  readonly retryAt: number | null;

  constructor(
    kind: AuthorityError['kind'],
    message: string,
    options: ErrorOptions & { retryAt?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAt = options.retryAt ?? null;
  }
}
