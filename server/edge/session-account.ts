import type { HostEntry } from './host-directory.ts';
import type { EdgeAnswerRecord, EdgeMeter } from './ports.ts';

/** Whoever pays for some of the streams of a session: a hostname, or nobody for all that are unknown. */
interface Party {
  readonly name: string;
  meter: EdgeMeter | null;
  /** Under which heads and frames are told: no file is listed for them. */
  frames: EdgeAnswerRecord;
  /** Answers since all was settled. */
  answers: number;
  /** Of these, those under way. */
  open: number;
  /** Some of its DATA may be among the bytes that nobody has been told of. */
  isUncertain: boolean;
}

const served: EdgeAnswerRecord = { status: 200, isCacheHit: true, isRefused: false, path: null };
const refused: EdgeAnswerRecord = { ...served, isRefused: true };

/** Beyond it, those without a stream under way are forgotten: the others bear their frames. */
const partiesMax = 100;

/**
 * Tells meters what an HTTP/2 session takes: together exactly what its socket was handed. The DATA of a stream goes to its own
 * host. Heads and frames are told apart from it by what remains: browsers ask for several hosts over one connection, and then
 * what remains is shared, by answers, as soon as no stream is under way. What may be the DATA of streams that broke off goes to
 * their hosts alone.
 */
export class SessionAccount {
  private readonly socket: { readonly bytesWritten: number };
  private told = 0;
  private parties: Party[] = [];
  private latest: Party | null = null;
  private open = 0;
  private hasNews = false;
  private isClosed = false;

  constructor(socket: { readonly bytesWritten: number }) {
    this.socket = socket;
  }

  /** Counts an answer whose head has been written; the account of its stream is told the rest. */
  begin(entry: HostEntry | null, answer: EdgeAnswerRecord, bodyBytes: number): StreamAccount {
    const meter = entry?.host?.meter ?? null;
    const name = meter === null ? '' : (entry?.hostname ?? '');
    const frames = answer.isRefused ? refused : served;
    let party = this.latest?.name === name && this.latest.answers > 0 ? this.latest : this.find(name);
    if (party === undefined) {
      party = { name, meter, frames, answers: 0, open: 0, isUncertain: false };
      this.welcome(party);
    } else if (party.meter !== meter || party.frames !== frames) {
      if (this.parties.length === 1) this.settle();
      party.meter = meter;
      party.frames = frames;
    }
    party.answers += 1;
    party.open += 1;
    this.open += 1;
    this.latest = party;
    this.hasNews = true;
    meter?.count(answer, 0);
    return new StreamAccount(this, party, meter, answer, bodyBytes);
  }

  /** Bytes of DATA were handed over. */
  sent(meter: EdgeMeter | null, answer: EdgeAnswerRecord, bytes: number): void {
    this.told += bytes;
    meter?.add(answer, bytes);
    this.hasNews = true;
    if (this.isClosed) this.settle();
  }

  /** A stream is over; `isWhole` unless some of its DATA may have gone and not been told. */
  end(party: Party, isWhole: boolean): void {
    this.hasNews = true;
    this.open -= 1;
    party.open -= 1;
    if (!isWhole) party.isUncertain = true;
    if (this.isClosed) this.settle();
    else if (this.open === 0 && this.parties.length > 1) {
      this.settle();
      this.forget();
    }
  }

  /** To be called now and then: a host that is alone is told of heads and frames too. */
  settleAlone(): void {
    if (!this.hasNews || this.parties.length > 1) return;
    this.hasNews = false;
    this.settle();
  }

  /** The socket has closed. */
  close(): void {
    this.isClosed = true;
    for (const party of this.parties) party.isUncertain ||= party.open > 0;
    this.settle();
  }

  private find(name: string): Party | undefined {
    return this.parties.find((party) => party.name === name);
  }

  private welcome(party: Party): void {
    const [alone] = this.parties;
    if (alone !== undefined && this.parties.length === 1) {
      this.settle();
      // Part of a piece under way may just have been told as frames; it is told again with its piece.
      if (alone.open > 0) alone.isUncertain = true;
      else this.forget();
    }
    if (this.parties.length >= partiesMax) {
      this.parties = this.parties.filter(({ open, isUncertain }) => open > 0 || isUncertain);
    }
    this.parties.push(party);
  }

  private forget(): void {
    for (const party of this.parties) {
      party.answers = 0;
      party.isUncertain = false;
    }
    this.parties = [];
  }

  /** Tells what remains, and takes back what was told twice. */
  private settle(): void {
    const { latest } = this;
    if (latest === null) return;
    let bytes = this.socket.bytesWritten - this.told;
    if (bytes === 0) return;
    this.told += bytes;
    const uncertain = this.parties.filter(({ isUncertain }) => isUncertain);
    const sharers = uncertain.length > 0 ? uncertain : this.parties;
    let answers = sharers.reduce((sum, party) => sum + party.answers, 0);
    for (const party of sharers) {
      const share = Math.trunc((bytes * party.answers) / answers);
      party.meter?.add(party.frames, share);
      bytes -= share;
      answers -= party.answers;
    }
    // Nobody has asked since: the last words of the session.
    if (sharers.length === 0) latest.meter?.add(latest.frames, bytes);
  }
}

/** What one stream tells its session. */
export class StreamAccount {
  private readonly session: SessionAccount;
  private readonly party: Party;
  private readonly meter: EdgeMeter | null;
  private readonly answer: EdgeAnswerRecord;
  private unsent: number;

  constructor(
    session: SessionAccount,
    party: Party,
    meter: EdgeMeter | null,
    answer: EdgeAnswerRecord,
    bodyBytes: number,
  ) {
    this.session = session;
    this.party = party;
    this.meter = meter;
    this.answer = answer;
    this.unsent = bodyBytes;
  }

  /** So much DATA was handed over. */
  sent(bytes: number): void {
    this.unsent -= bytes;
    this.session.sent(this.meter, this.answer, bytes);
  }

  /** The stream has closed. */
  end(): void {
    this.session.end(this.party, this.unsent === 0);
  }
}
