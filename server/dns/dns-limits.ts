/** The limits of a name server. */
export interface DnsLimits {
  /** What our EDNS record offers to take; a resolver's question is far smaller. Longer messages are refused unread. */
  readonly queryBytesMax: number;
  /** The largest answer over UDP, whatever the client offers: it passes every network in one piece. */
  readonly udpBytesMax: number;
  /** Sockets among which the system divides those who ask over UDP. */
  readonly udpSockets: number;
  /** Answers per second over UDP to one network (IPv4 /24, IPv6 /48), and how many at once after a pause. */
  readonly answersPerSecond: number;
  readonly answersBurst: number;
  /**
   * Questions per second over TCP from one network, and as many at once after a pause; more wait unread. A
   * connection costs its sender nothing, and every question here takes the database a moment.
   */
  readonly tcpQuestionsPerSecond: number;
  /**
   * Questions per second over UDP that may reach the database, from all clients: forged addresses can be in
   * any network.
   */
  readonly lookupsPerSecond: number;
  /** Questions that reach the database at the same time, and how many wait for it; networks take turns. */
  readonly lookupsMax: number;
  readonly lookupsWaitingMax: number;
  /** After this time, a question that the database has not answered fails. */
  readonly lookupMs: number;
  readonly connectionsMax: number;
  readonly connectionsPerNetworkMax: number;
  /** Questions of one connection that are answered at the same time; more wait unread. */
  readonly questionsPerConnectionMax: number;
  /**
   * A connection that has been sent this much is answered no more: what its client does not take stays in the memory of
   * the system, which a program cannot look into.
   */
  readonly answerBytesPerConnectionMax: number;
  /**
   * A connection without a complete question, or that does not take its answers, is closed after this time.
   */
  readonly idleMs: number;
  /** How long a graceful stop waits for answers in flight. */
  readonly drainMs: number;
}

export const defaultDnsLimits: DnsLimits = {
  queryBytesMax: 1232,
  udpBytesMax: 1232,
  udpSockets: 16,
  answersPerSecond: 200,
  answersBurst: 400,
  tcpQuestionsPerSecond: 500,
  lookupsPerSecond: 1000,
  lookupsMax: 8,
  lookupsWaitingMax: 1024,
  lookupMs: 2_000,
  connectionsMax: 500,
  connectionsPerNetworkMax: 50,
  questionsPerConnectionMax: 16,
  answerBytesPerConnectionMax: 262_144,
  idleMs: 10_000,
  drainMs: 5_000,
};
