import { randomUUID } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import {
  AuthorityError,
  type AuthorityOrder,
  type CertificateAuthority,
  type RenewalWindow,
} from '#server/certificate-authority/authority.ts';
import { DAY_MS } from '#server/durations.ts';

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export type AuthorityCall = Exclude<keyof CertificateAuthority, 'name' | 'title' | 'needsProof'>;

interface FakeOrder extends AuthorityOrder {
  domains: readonly string[];
  replaces: string | null;
  chain: string | null;
}

interface Signer {
  certificate: x509.X509Certificate;
  keys: CryptoKeyPair;
}

/**
 * An ACME server in memory, as strict as a real one about the order of steps. A test decides what happens
 * next: `failNext` makes a call fail before it has an effect, `loseNext` after it.
 */
export class FakeAuthority implements CertificateAuthority {
  name = 'https://ca.example/directory';
  title = 'acme-v02.api.letsencrypt.org';
  needsProof = true;
  /** Every call, in order. */
  readonly calls: AuthorityCall[] = [];
  readonly orders = new Map<string, FakeOrder>();
  /** The result of a validation: null on success. */
  validate: (order: { domains: readonly string[]; values: readonly string[] }) => Promise<string | null> =
    async () => null;
  /** Whether an order whose values were not found stays open, to be answered again. */
  looksAgain = false;
  /** Changes a chain before it is handed over. */
  changeChain: (chain: string) => string = (chain) => chain;
  /** How many more reads of an answered order report that it is still being processed. */
  busyReads = 0;
  lifetimeMs = 90 * DAY_MS;
  window: RenewalWindow | null = null;
  now: () => number = () => Date.UTC(2026, 2, 1, 12);
  private readonly failing = new Map<AuthorityCall, Error[]>();
  private readonly losing = new Map<AuthorityCall, Error[]>();
  private chainOfSigners: Promise<[Signer, Signer]> | undefined;

  failNext(call: AuthorityCall, error: Error, times = 1): void {
    this.failing.set(call, [...(this.failing.get(call) ?? []), ...new Array<Error>(times).fill(error)]);
  }

  loseNext(call: AuthorityCall, error: Error): void {
    this.losing.set(call, [...(this.losing.get(call) ?? []), error]);
  }

  /** How many orders were ever opened. */
  get opened(): number {
    return this.orders.size;
  }

  caaIdentities = () => this.answer('caaIdentities', () => ['letsencrypt.org'] as const);

  openOrder = (domains: readonly string[], replaces: string | null) =>
    this.answer('openOrder', () => {
      const url = `https://ca.example/order/${this.orders.size + 1}`;
      const txtValues = domains.map(() => randomUUID());
      this.orders.set(url, {
        domains,
        replaces,
        status: 'pending',
        txtValues,
        problem: null,
        isUnseen: false,
        chain: null,
      });
      return url;
    });

  readOrder = (url: string) =>
    this.answer('readOrder', () => {
      const order = this.find(url);
      if (this.busyReads > 0 && order.status !== 'pending') {
        this.busyReads -= 1;
        return { ...order, status: 'processing' as const };
      }
      return order;
    });

  answerChallenges = (url: string) =>
    this.answer('answerChallenges', async () => {
      const order = this.find(url);
      if (order.status !== 'pending') return;
      const problem = await this.validate({ domains: order.domains, values: order.txtValues });
      if (problem !== null && this.looksAgain) this.orders.set(url, { ...order, isUnseen: true });
      else {
        const status = problem === null ? 'ready' : 'invalid';
        this.orders.set(url, { ...order, status, problem, isUnseen: false });
      }
    });

  finalize = (url: string, csr: string) =>
    this.answer('finalize', async () => {
      const order = this.find(url);
      if (order.status !== 'ready') throw new AuthorityError('refused', `The order is ${order.status}.`);
      const chain = this.changeChain(await this.sign(order.domains, csr));
      this.orders.set(url, { ...order, status: 'valid', chain });
    });

  download = (url: string) =>
    this.answer('download', () => {
      const { chain } = this.find(url);
      if (chain === null) throw new AuthorityError('refused', 'There is no certificate yet.');
      return chain;
    });

  findRenewalWindow = () => this.answer('findRenewalWindow', () => this.window);

  private async answer<T>(call: AuthorityCall, work: () => T | Promise<T>): Promise<T> {
    this.calls.push(call);
    const failure = this.failing.get(call)?.shift();
    if (failure) throw failure;
    const result = await work();
    const loss = this.losing.get(call)?.shift();
    if (loss) throw loss;
    return result;
  }

  private find(url: string): FakeOrder {
    const order = this.orders.get(url);
    if (!order) throw new AuthorityError('gone', 'No such order.');
    return order;
  }

  /** Returns a leaf and the intermediate that signed it. */
  private async sign(domains: readonly string[], csr: string): Promise<string> {
    const request = new x509.Pkcs10CertificateRequest(csr);
    if (!(await request.verify())) throw new AuthorityError('refused', 'The request is not signed.');
    this.chainOfSigners ??= makeSigners(this.now());
    const [, intermediate] = await this.chainOfSigners;
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber: `40${randomUUID().replaceAll('-', '')}`,
      subject: '',
      issuer: intermediate.certificate.subject,
      notBefore: new Date(this.now()),
      notAfter: new Date(this.now() + this.lifetimeMs),
      signingAlgorithm: KEY_ALGORITHM,
      publicKey: request.publicKey,
      signingKey: intermediate.keys.privateKey,
      extensions: [
        new x509.SubjectAlternativeNameExtension(
          domains.map((value) => ({ type: 'dns' as const, value })),
          true,
        ),
      ],
    });
    return `${leaf.toString('pem')}\n${intermediate.certificate.toString('pem')}\n`;
  }
}

async function makeSigners(now: number): Promise<[Signer, Signer]> {
  const dates = { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 3650 * DAY_MS) };
  const isAuthority = [new x509.BasicConstraintsExtension(true, undefined, true)];
  const rootKeys = await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '4001',
    name: 'CN=Fake root',
    ...dates,
    signingAlgorithm: KEY_ALGORITHM,
    keys: rootKeys,
    extensions: isAuthority,
  });
  const keys = await crypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
  const intermediate = await x509.X509CertificateGenerator.create({
    serialNumber: '4002',
    subject: 'CN=Fake intermediate',
    issuer: root.subject,
    ...dates,
    signingAlgorithm: KEY_ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: rootKeys.privateKey,
    extensions: isAuthority,
  });
  return [
    { certificate: root, keys: rootKeys },
    { certificate: intermediate, keys },
  ];
}
