import type { EdgeClock, ReadyVariant } from '../../ready-response.ts';
import { encodeHead, stampHead } from './header-encoder.ts';

/** The heads of a ready response in HTTP/2 form; the connections copy them. */
export interface StreamHeads {
  readonly whole: Buffer;
  readonly notModified: Buffer;
  /** The epoch second whose date is in both. */
  second: number;
}

/** Returns the head of a ready response with the current date. */
export function readyHead(variant: ReadyVariant, isModified: boolean, clock: EdgeClock): Buffer {
  variant.streamHeads ??= {
    whole: encodeHead(200, variant.headers, clock.date),
    notModified: encodeHead(304, variant.notModifiedHeaders, clock.date),
    second: clock.second,
  };
  const { streamHeads } = variant;
  if (streamHeads.second !== clock.second) {
    stampHead(streamHeads.whole, clock.date);
    stampHead(streamHeads.notModified, clock.date);
    streamHeads.second = clock.second;
  }
  return isModified ? streamHeads.whole : streamHeads.notModified;
}
