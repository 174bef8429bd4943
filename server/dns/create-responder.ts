import { TokenBucket } from '../connections/token-bucket.ts';
import { AnswerRate } from './answer-rate.ts';
import { decide, type Reply, refuse } from './decide.ts';
import type { DnsLimits } from './dns-limits.ts';
import { LookupGate } from './lookup-gate.ts';
import { NetworkRate, networkOf } from './network-rate.ts';
import { parseQuery, type Query } from './parse-query.ts';
import type { DnsClock, DnsLogger, DnsPorts, DnsQueue, DnsSettings } from './ports.ts';
import { RCODE } from './wire.ts';
import { type ReplyForm, writeRefusal, writeReply, writeTruncated } from './write-reply.ts';
import { buildZones } from './zones.ts';

export interface ResponderOptions {
  readonly ports: DnsPorts;
  readonly settings: DnsSettings;
  readonly logger: DnsLogger;
  readonly clock: DnsClock;
  readonly limits: DnsLimits;
  /** Created with the limits on lookups. */
  readonly queueLookups: (limits: { atOnceMax: number; waitingMax: number }) => DnsQueue;
}

/** The answer to a message; null when none is due. It is a promise only when the database has to be asked. */
export type Answer = Buffer | null | Promise<Buffer>;

/** Answers messages from any transport. It never throws and never rejects. */
export interface Responder {
  /** @param address of the sender, which may be forged */
  answerUdp(message: Buffer, address: string): Answer;
  answerTcp(message: Buffer, address: string): Answer;
  /** Counts a question over TCP; returns false when its network has to wait before it asks more. */
  admitTcp(address: string): boolean;
}

const TCP_BYTES_MAX = 65_535;
const UDP_BYTES_MIN = 512;
/** The log gets at most one line per interval while the database is unreachable, however many questions arrive. */
const WARNING_INTERVAL_MS = 10_000;

export function createResponder(options: ResponderOptions): Responder {
  const { ports, settings, logger, clock, limits, queueLookups } = options;
  const zones = buildZones(settings);
  const rate = new AnswerRate(limits.answersPerSecond, limits.answersBurst, clock.now());
  const { tcpQuestionsPerSecond } = limits;
  const pace = new NetworkRate(tcpQuestionsPerSecond, tcpQuestionsPerSecond, clock.now());
  const queue = queueLookups({ atOnceMax: limits.lookupsMax, waitingMax: limits.lookupsWaitingMax });
  const gate = new LookupGate(queue, limits.lookupMs);
  const budget = new TokenBucket(limits.lookupsPerSecond, limits.lookupsPerSecond, clock.now());
  let warnedAt = Number.NEGATIVE_INFINITY;

  const warn = (error: unknown) => {
    const now = clock.now();
    if (now - warnedAt < WARNING_INTERVAL_MS) return;
    warnedAt = now;
    logger.warn({ err: error }, 'a DNS question could not be answered from the database');
  };

  const answerQuery = (
    message: Buffer,
    query: Query,
    address: string,
    form: ReplyForm,
    mayLookUp: () => boolean,
  ): Answer => {
    if (query.edns && query.edns.version > 0) {
      return writeReply(message, query, refuse(RCODE.badVersion), form);
    }
    const intent = decide(query, zones);
    if (intent.kind === 'reply') return writeReply(message, query, intent.reply, form);
    if (!mayLookUp()) return writeTruncated(message, query, form);
    const { label, complete } = intent;
    return gate
      .run(networkOf(address), () => ports.findTexts(label))
      .then(complete)
      .catch((error: unknown): Reply => {
        warn(error);
        return refuse(RCODE.serverFailure);
      })
      .then((reply) => writeReply(message, query, reply, form));
  };

  const formOf = (bytesMax: number): ReplyForm => ({
    bytesMax,
    payloadBytesMax: limits.udpBytesMax,
    serial: Math.floor(clock.now() / 1000) >>> 0,
  });

  return {
    answerUdp(message, address) {
      const parsed = parseQuery(message, limits.queryBytesMax);
      if (parsed.kind === 'silence') return null;
      const verdict = rate.take(address, clock.now());
      if (verdict === 'nothing') return null;
      if (parsed.kind === 'refusal') {
        return verdict === 'answer' ? writeRefusal(message, parsed.rcode, formOf(UDP_BYTES_MIN)) : null;
      }
      const { query } = parsed;
      const offered = Math.max(UDP_BYTES_MIN, query.edns?.payloadBytesMax ?? UDP_BYTES_MIN);
      const form = formOf(Math.min(offered, limits.udpBytesMax));
      if (verdict === 'truncate') return writeTruncated(message, query, form);
      // A flood from forged addresses does not follow to TCP; a real resolver does, and gets its answer.
      return answerQuery(message, query, address, form, () => budget.take(clock.now()));
    },
    answerTcp(message, address) {
      const parsed = parseQuery(message, limits.queryBytesMax);
      if (parsed.kind === 'silence') return null;
      if (parsed.kind === 'refusal') return writeRefusal(message, parsed.rcode, formOf(TCP_BYTES_MAX));
      return answerQuery(message, parsed.query, address, formOf(TCP_BYTES_MAX), () => true);
    },
    admitTcp: (address) => pace.take(pace.slotOf(address), clock.now()),
  };
}
