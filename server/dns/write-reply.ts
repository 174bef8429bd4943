import type { DnsRecord, Reply } from './decide.ts';
import { findEdns } from './find-edns.ts';
import type { Edns, Query } from './parse-query.ts';
import { CLASS, FLAG, HEADER_BYTES, POINTER, RCODE, TYPE } from './wire.ts';
import type { Zone } from './zones.ts';

/** How an answer is encoded. */
export interface ReplyForm {
  /** A longer answer is cut: first the additional records, then all records, and marked as truncated. */
  readonly bytesMax: number;
  /** The payload size that this server offers in its own EDNS record. */
  readonly payloadBytesMax: number;
  readonly serial: number;
}

const SOA_REFRESH_SECONDS = 3600;
const SOA_RETRY_SECONDS = 600;
const SOA_EXPIRE_SECONDS = 604_800;
const OPT_BYTES = 11;
const MESSAGE_BYTES_MAX = 65_535;
/** Answers are encoded here one at a time and copied out. */
const scratch = Buffer.allocUnsafeSlow(MESSAGE_BYTES_MAX);

/**
 * Returns the message that answers a question: its id, its own spelling of the name, and the records of the
 * reply.
 */
export function writeReply(message: Buffer, query: Query, reply: Reply, form: ReplyForm): Buffer {
  const end =
    new ReplyWriter(message, query, reply, form).write(reply.answers, reply.authorities, reply.additionals) ??
    new ReplyWriter(message, query, reply, form).write(reply.answers, reply.authorities, []) ??
    new ReplyWriter(message, query, reply, form, FLAG.truncated).write([], [], []) ??
    0;
  return Buffer.from(scratch.subarray(0, end));
}

/**
 * Returns the answer that only says "retry over TCP". It is never longer than the question and an EDNS
 * record.
 */
export function writeTruncated(message: Buffer, query: Query, form: ReplyForm): Buffer {
  const reply: Reply = {
    rcode: RCODE.noError,
    isAuthoritative: false,
    zone: null,
    answers: [],
    authorities: [],
    additionals: [],
  };
  const end = new ReplyWriter(message, query, reply, form, FLAG.truncated).write([], [], []) ?? 0;
  return Buffer.from(scratch.subarray(0, end));
}

/** Returns the refusal of a message that was not read: a header and, for a client that uses EDNS, its record. */
export function writeRefusal(message: Buffer, rcode: number, form: ReplyForm): Buffer {
  const edns = findEdns(message);
  const refusal = Buffer.alloc(HEADER_BYTES + (edns ? OPT_BYTES : 0));
  message.copy(refusal, 0, 0, 4);
  refusal.writeUInt16BE(repeatedFlags(message) | rcode, 2);
  if (edns) {
    refusal.writeUInt16BE(1, 10);
    writeOpt(refusal, HEADER_BYTES, { edns, rcode, form });
  }
  return refusal;
}

/** Writes our EDNS record, which takes OPT_BYTES. */
function writeOpt(
  to: Buffer,
  offset: number,
  { edns, rcode, form }: { edns: Edns; rcode: number; form: ReplyForm },
): void {
  to.writeUInt8(0, offset);
  to.writeUInt16BE(TYPE.opt, offset + 1);
  to.writeUInt16BE(form.payloadBytesMax, offset + 3);
  to.writeUInt8(rcode >> 4, offset + 5);
  to.writeUInt8(0, offset + 6);
  to.writeUInt16BE(edns.isDnssecWanted ? 0x8000 : 0, offset + 7);
  to.writeUInt16BE(0, offset + 9);
}

function repeatedFlags(message: Buffer): number {
  return FLAG.response | (message.readUInt16BE(2) & (FLAG.opcode | FLAG.recursionDesired));
}

class ReplyWriter {
  private readonly query: Query;
  private readonly reply: Reply;
  private readonly form: ReplyForm;
  private readonly bytesMax: number;
  /** Where a name, and each name above it, was already written. */
  private readonly written = new Map<string, number>();
  private offset: number;

  constructor(message: Buffer, query: Query, reply: Reply, form: ReplyForm, flags = 0) {
    this.query = query;
    this.reply = reply;
    this.form = form;
    this.bytesMax = Math.min(form.bytesMax, MESSAGE_BYTES_MAX) - (query.edns ? OPT_BYTES : 0);
    message.copy(scratch, 0, 0, query.endOffset);
    const authoritative = reply.isAuthoritative ? FLAG.authoritative : 0;
    scratch.writeUInt16BE(repeatedFlags(message) | authoritative | flags | (reply.rcode & 0xf), 2);
    scratch.writeUInt16BE(1, 4);
    this.offset = query.endOffset;
    if (reply.zone) this.noteName(reply.zone.name, query.endOffset - 4 - (reply.zone.name.length + 2));
  }

  /** Returns where the message ends, or null when the records do not fit. */
  write(
    answers: readonly DnsRecord[],
    authorities: readonly DnsRecord[],
    additionals: readonly DnsRecord[],
  ): number | null {
    for (const record of [...answers, ...authorities, ...additionals]) {
      if (!this.writeRecord(record)) return null;
    }
    scratch.writeUInt16BE(answers.length, 6);
    scratch.writeUInt16BE(authorities.length, 8);
    scratch.writeUInt16BE(additionals.length + (this.query.edns ? 1 : 0), 10);
    const { edns } = this.query;
    if (edns) {
      writeOpt(scratch, this.offset, { edns, rcode: this.reply.rcode, form: this.form });
      this.offset += OPT_BYTES;
    }
    return this.offset;
  }

  private writeRecord({ owner, type, ttlSeconds, data }: DnsRecord): boolean {
    // Our own names are short; with this much room left nothing below overflows.
    const roomBytes = 600 + (data.kind === 'bytes' ? data.bytes.length : 0);
    if (this.offset + roomBytes > MESSAGE_BYTES_MAX) return false;
    if (owner === null) this.writePointer(HEADER_BYTES);
    else this.writeName(owner);
    scratch.writeUInt16BE(type, this.offset);
    scratch.writeUInt16BE(CLASS.in, this.offset + 2);
    scratch.writeUInt32BE(ttlSeconds, this.offset + 4);
    const lengthOffset = this.offset + 8;
    this.offset += 10;
    if (data.kind === 'bytes') this.offset += data.bytes.copy(scratch, this.offset);
    else if (data.kind === 'name') this.writeName(data.name);
    else this.writeSoa(data.zone);
    scratch.writeUInt16BE(this.offset - lengthOffset - 2, lengthOffset);
    return this.offset <= this.bytesMax;
  }

  private writeSoa(zone: Zone): void {
    this.writeName(zone.nameServers[0] ?? zone.name);
    this.writeName(`hostmaster.${zone.name}`);
    const numbers = [
      this.form.serial,
      SOA_REFRESH_SECONDS,
      SOA_RETRY_SECONDS,
      SOA_EXPIRE_SECONDS,
      zone.negativeTtlSeconds,
    ];
    for (const number of numbers) this.offset = scratch.writeUInt32BE(number, this.offset);
  }

  /** Writes a name up to the part that was already written. */
  private writeName(name: string): void {
    let rest = name;
    const start = this.offset;
    while (rest !== '') {
      const known = this.written.get(rest);
      if (known !== undefined) {
        this.writePointer(known);
        break;
      }
      const end = rest.indexOf('.');
      const label = end < 0 ? rest : rest.slice(0, end);
      this.offset = scratch.writeUInt8(label.length, this.offset);
      this.offset += scratch.write(label, this.offset, 'latin1');
      rest = end < 0 ? '' : rest.slice(end + 1);
    }
    if (rest === '') this.offset = scratch.writeUInt8(0, this.offset);
    this.noteName(name, start);
  }

  private writePointer(target: number): void {
    this.offset = scratch.writeUInt16BE((POINTER << 8) | target, this.offset);
  }

  private noteName(name: string, start: number): void {
    let rest = name;
    let offset = start;
    // A pointer has only 14 bits.
    while (rest !== '' && offset < 0x4000 && !this.written.has(rest)) {
      this.written.set(rest, offset);
      const end = rest.indexOf('.');
      if (end < 0) return;
      offset += end + 1;
      rest = rest.slice(end + 1);
    }
  }
}
