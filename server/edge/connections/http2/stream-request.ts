import { SimpleRequest } from '../simple-request.ts';
import type { FieldSink, HeaderField } from './header-decoder.ts';
import { FIELD_OVERHEAD_BYTES } from './static-fields.ts';

/** The meaning of a field's name in a request. */
const SLOT = {
  IGNORED: 0,
  MALFORMED: 1,
  METHOD: 2,
  PATH: 3,
  SCHEME: 4,
  AUTHORITY: 5,
  HOST: 6,
  ACCEPT_ENCODING: 7,
  ACCEPT_LANGUAGE: 8,
  RANGE: 9,
  IF_RANGE: 10,
  IF_MATCH: 11,
  IF_NONE_MATCH: 12,
  IF_MODIFIED_SINCE: 13,
  IF_UNMODIFIED_SINCE: 14,
  FORWARDED_PROTO: 15,
  FORWARDED_FOR: 16,
  REFERER: 17,
  USER_AGENT: 18,
  TE: 19,
} as const;

const SLOTS = new Map<string, number>([
  [':method', SLOT.METHOD],
  [':path', SLOT.PATH],
  [':scheme', SLOT.SCHEME],
  [':authority', SLOT.AUTHORITY],
  ['host', SLOT.HOST],
  ['accept-encoding', SLOT.ACCEPT_ENCODING],
  ['accept-language', SLOT.ACCEPT_LANGUAGE],
  ['range', SLOT.RANGE],
  ['if-range', SLOT.IF_RANGE],
  ['if-match', SLOT.IF_MATCH],
  ['if-none-match', SLOT.IF_NONE_MATCH],
  ['if-modified-since', SLOT.IF_MODIFIED_SINCE],
  ['if-unmodified-since', SLOT.IF_UNMODIFIED_SINCE],
  ['x-forwarded-proto', SLOT.FORWARDED_PROTO],
  ['x-forwarded-for', SLOT.FORWARDED_FOR],
  ['referer', SLOT.REFERER],
  ['user-agent', SLOT.USER_AGENT],
  ['te', SLOT.TE],
  // Connection-specific fields make a request malformed (RFC 9113, 8.2.2).
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'].map(
    (name): [string, number] => [name, SLOT.MALFORMED],
  ),
]);

/** A token without upper case (RFC 9113, 8.2.1). */
const VALID_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const INVALID_IN_VALUE = /[\0\r\n]|^[\t ]|[\t ]$/;
const VALID_PATH = /^[\x21-\x7e\x80-\xff]+$/;

/** Returns the meaning of a field in a request: that of its name, unless either part of it is malformed. */
export function slotOf(name: string, value: string): number {
  const known = SLOTS.get(name);
  if (known === undefined && !VALID_NAME.test(name)) return SLOT.MALFORMED;
  return INVALID_IN_VALUE.test(value) ? SLOT.MALFORMED : (known ?? SLOT.IGNORED);
}

/** A request of an HTTP/2 stream. One object is reused: copy it to keep it. */
export class StreamRequest extends SimpleRequest implements FieldSink {
  /** It breaks a rule for requests (RFC 9113, 8.1.1), though not one of the connection. */
  isMalformed = false;
  /** It has more or longer fields than allowed. */
  isTooLarge = false;
  private readonly listBytesMax: number;
  private readonly fieldsMax: number;
  private fields = 0;
  private listBytes = 0;
  private scheme = '';
  private authority = '';
  private namedHost = '';
  private hasFields = false;

  constructor(listBytesMax: number, fieldsMax: number) {
    super();
    this.listBytesMax = listBytesMax;
    this.fieldsMax = fieldsMax;
  }

  /** Called before the fields of a head. */
  begin(): void {
    this.clear();
    this.method = '';
    this.isMalformed = false;
    this.isTooLarge = false;
    this.fields = 0;
    this.listBytes = 0;
    this.scheme = '';
    this.authority = '';
    this.namedHost = '';
    this.hasFields = false;
  }

  /** Called after the fields of a head. */
  finish(): void {
    if (this.method === '' || this.target === '' || this.scheme === '') this.isMalformed = true;
    // Two names are an attempt to address two sites at once.
    const isOneHost = this.namedHost === '' || this.authority === '' || this.namedHost === this.authority;
    this.host = isOneHost ? this.authority || this.namedHost : '';
    const mark = this.target.indexOf('?');
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
  }

  take({ name, value, slot }: HeaderField): void {
    this.fields += 1;
    this.listBytes += name.length + value.length + FIELD_OVERHEAD_BYTES;
    if (this.fields > this.fieldsMax || this.listBytes > this.listBytesMax) this.isTooLarge = true;
    if (this.isTooLarge) return;
    if (slot >= SLOT.METHOD && slot <= SLOT.AUTHORITY) this.takePseudo(slot, value);
    else {
      this.hasFields = true;
      if (slot !== SLOT.IGNORED) this.takeField(slot, value);
    }
  }

  /** Each of them occurs once, before all other fields. */
  private takePseudo(slot: number, value: string): void {
    if (this.hasFields) this.isMalformed = true;
    switch (slot) {
      case SLOT.METHOD:
        if (this.method !== '' || value === '') this.isMalformed = true;
        this.method = value;
        break;
      case SLOT.PATH:
        if (this.target !== '' || !VALID_PATH.test(value)) this.isMalformed = true;
        this.target = value;
        break;
      case SLOT.SCHEME:
        if (this.scheme !== '' || value === '') this.isMalformed = true;
        this.scheme = value;
        break;
      default:
        if (this.authority !== '') this.isMalformed = true;
        this.authority = value;
    }
  }

  private takeField(slot: number, value: string): void {
    switch (slot) {
      case SLOT.HOST:
        if (this.namedHost !== '' && this.namedHost !== value) this.isMalformed = true;
        this.namedHost = value;
        break;
      case SLOT.ACCEPT_ENCODING:
        this.acceptEncoding = joined(this.acceptEncoding, value);
        break;
      case SLOT.ACCEPT_LANGUAGE:
        this.acceptLanguage = joined(this.acceptLanguage, value);
        break;
      case SLOT.RANGE:
        this.range ||= value;
        break;
      case SLOT.IF_RANGE:
        this.ifRange ||= value;
        break;
      case SLOT.IF_MATCH:
        this.ifMatch = joined(this.ifMatch, value);
        break;
      case SLOT.IF_NONE_MATCH:
        this.ifNoneMatch = joined(this.ifNoneMatch, value);
        break;
      case SLOT.IF_MODIFIED_SINCE:
        this.ifModifiedSince ||= value;
        break;
      case SLOT.IF_UNMODIFIED_SINCE:
        this.ifUnmodifiedSince ||= value;
        break;
      case SLOT.FORWARDED_PROTO:
        this.forwardedProto = joined(this.forwardedProto, value);
        break;
      case SLOT.FORWARDED_FOR:
        this.forwardedFor = joined(this.forwardedFor, value);
        break;
      case SLOT.REFERER:
        this.referer ||= value;
        break;
      case SLOT.USER_AGENT:
        this.userAgent ||= value;
        break;
      case SLOT.TE:
        if (value !== 'trailers') this.isMalformed = true;
        break;
      default:
        this.isMalformed = true;
    }
  }
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}
