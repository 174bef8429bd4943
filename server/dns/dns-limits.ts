/** The bounds of a name server. */
export interface DnsLimits {
  /** A question of a resolver is far smaller; longer messages are refused unread. */
  readonly queryBytesMax: number;
  /** Largest answer by udp, whatever the asker offers: it passes every network in one piece. */
  readonly udpBytesMax: number;
  /** Answers a second by udp to one network (IPv4 /24, IPv6 /56), and how many at once after a pause. */
  readonly answersPerSecond: number;
  readonly answersBurst: number;
  /** Questions by udp that reach the database in a second, whoever asks: false addresses can be of any network. */
  readonly lookupsPerSecond: number;
  /** Questions that reach the database at one moment, and how many wait for it. */
  readonly lookupsMax: number;
  readonly lookupsWaitingMax: number;
  /** After this a question that the database does not answer is told so. */
  readonly lookupMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerNetworkMax: number;
  /** Questions of one connection that are answered at one moment; more wait unread. */
  readonly questionsPerConnectionMax: number;
  /** A connection without a whole question, or that does not take its answers, is closed after this. */
  readonly idleMs: number;
  /** How long a graceful stop waits for answers in flight. */
  readonly drainMs: number;
}

export const defaultDnsLimits: DnsLimits = {
  queryBytesMax: 512,
  udpBytesMax: 1232,
  answersPerSecond: 200,
  answersBurst: 400,
  lookupsPerSecond: 1000,
  lookupsMax: 8,
  lookupsWaitingMax: 1024,
  lookupMs: 2_000,
  connectionsMax: 500,
  connectionsPerNetworkMax: 50,
  questionsPerConnectionMax: 16,
  idleMs: 10_000,
  drainMs: 5_000,
};
