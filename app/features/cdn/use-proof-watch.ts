import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ERROR_CODES, type ErrorCode } from '#server/error-codes.ts';
import { readError } from '../../i18n/read-error.ts';
import type { DnsRecord } from '../certificates/record-table.tsx';
import type { TypedEndpoint } from './endpoint-form-errors.ts';
import { proofOf } from './proof-of.ts';
import { useCreateEndpoint } from './use-create-endpoint.ts';

/** A twentieth of the looks that an organization has in a minute, so that others of it can wait for theirs as well. */
const LOOK_EVERY_MS = 10_000;
/** Half an hour; then only when asked. */
const LOOKS_MAX = 180;

/** How the last look for the record ended. */
export type ProofSight = 'unseen' | 'unanswered' | 'ended';

export interface ProofWatch {
  /** The record that makes the hostname theirs; null while nobody waits for one. */
  record: DnsRecord | null;
  sight: ProofSight;
  isLooking: boolean;
  /** Why the wait ended without the hostname; null until then. */
  failure: unknown;
  /** Begins to wait after a refusal that names a record. */
  begin(refused: TypedEndpoint, error: unknown): void;
  /** What was asked for has changed. */
  end(): void;
  lookNow(): void;
}

/**
 * Returns what waits for the record that proves a hostname: it asks for the endpoint again and again while the page is looked
 * at, and goes to the endpoint's page as soon as the record is seen. Any other refusal ends the wait.
 */
export function useProofWatch({ onRefused }: { onRefused: (error: unknown) => void }): ProofWatch {
  const [waiting, setWaiting] = useState<{ typed: TypedEndpoint; record: DnsRecord } | null>(null);
  const [sight, setSight] = useState<ProofSight>('unseen');
  const looks = useRef(0);
  const { create, isPending, error, reset } = useCreateEndpoint({
    onRefused(error) {
      const record = proofOf(error);
      if (record) setWaiting((before) => before && { ...before, record });
      if (record || isForNow(error)) {
        setSight(record ? 'unseen' : 'unanswered');
        return;
      }
      setWaiting(null);
      onRefused(error);
    },
  });
  const look = () => {
    if (waiting && !isPending) create(waiting.typed);
  };
  const lookByItself = useEffectEvent(() => {
    if (document.visibilityState !== 'visible') return;
    looks.current += 1;
    if (looks.current > LOOKS_MAX) setSight('ended');
    else look();
  });
  const isWaiting = waiting !== null;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => lookByItself(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return {
    record: waiting?.record ?? null,
    sight,
    isLooking: isPending,
    failure: waiting === null ? error : null,
    begin(typed, error) {
      const record = proofOf(error);
      looks.current = 0;
      setSight('unseen');
      setWaiting(record && { typed, record });
    },
    end() {
      setWaiting(null);
      reset();
    },
    lookNow() {
      looks.current = 0;
      look();
    },
  };
}

const ANSWERS_LATER: ReadonlySet<ErrorCode> = new Set(['dns_unavailable', 'service_unavailable']);

/** Whether the same question may be answered a moment later. */
function isForNow(error: unknown): boolean {
  const known = readError(error);
  return known === null || ANSWERS_LATER.has(known.code) || ERROR_CODES[known.code].kind === 'too_many';
}
