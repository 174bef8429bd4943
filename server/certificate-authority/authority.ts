/** The status of an order at the authority. */
export interface AuthorityOrder {
  /** `pending`: something must be proven first; `processing`: the authority is working on it; ask again. */
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  /** TXT values that must all be in place at the challenge name before the challenges are answered. */
  txtValues: readonly string[];
  /** The authority's own message when the order is invalid. */
  problem: string | null;
  /**
   * The authority checked, did not see the values, and will check again when the challenges are answered
   * again.
   */
  isUnseen: boolean;
}

/** When a certificate should be renewed, according to the authority (ARI, RFC 9773). Epoch milliseconds. */
export interface RenewalWindow {
  start: number;
  end: number;
  /** When to ask again. */
  askAgainAt: number;
}

/**
 * An issuer of certificates: an ACME server, or this installation itself. An order survives a restart by its
 * URL.
 */
export interface CertificateAuthority {
  /** Which authority, and which account there: orders and limits belong to it. */
  readonly name: string;
  /** The name shown to people, e.g. `acme-v02.api.letsencrypt.org` or `local`. */
  readonly title: string;
  /** Whether names must be proven by DNS; the local authority requires no proof. */
  readonly needsProof: boolean;
  /**
   * Domain names of which a CAA record must contain one; empty when CAA does not apply.
   * @throws AuthorityError until they have been read once
   */
  caaIdentities(): Promise<readonly string[]>;
  /**
   * Opens an order and returns its URL.
   * @param replaces PEM of the certificate that it renews
   * @throws AuthorityError
   */
  openOrder(domains: readonly string[], replaces: string | null): Promise<string>;
  /** @throws AuthorityError, `gone` when the order no longer exists */
  readOrder(orderUrl: string): Promise<AuthorityOrder>;
  /** Says that the TXT values are in place. Answering twice is harmless. @throws AuthorityError */
  answerChallenges(orderUrl: string): Promise<void>;
  /** Submits the request (PEM); only for an order that is `ready`. @throws AuthorityError */
  finalize(orderUrl: string, csr: string): Promise<void>;
  /** Returns the PEM chain of a `valid` order, leaf first. @throws AuthorityError */
  download(orderUrl: string): Promise<string>;
  /** Null when the authority has no opinion. @throws AuthorityError */
  findRenewalWindow(certificate: string): Promise<RenewalWindow | null>;
}

/**
 * Why an authority did not do what was requested. `unavailable`: try again; `limited`: not before `retryAt`;
 * `refused`: it said no, and will again; `caa`: a CAA record forbids it; `gone`: the order is unknown or
 * expired.
 */
export class AuthorityError extends Error {
  override name = 'AuthorityError';
  readonly kind: 'unavailable' | 'limited' | 'refused' | 'caa' | 'gone';
  /** Epoch milliseconds, when the authority said when. */
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
