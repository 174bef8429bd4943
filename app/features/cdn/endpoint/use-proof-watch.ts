import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type ErrorCode, KIND_OF_CODE } from '#server/error-codes.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import type { DnsRecord } from '../../certificates/records/record-table.tsx';
import type { TypedEndpoint } from '../form/endpoint-form-errors.ts';
import { proofOf } from '../form/proof-of.ts';
import { useCreateEndpoint } from '../form/use-create-endpoint.ts';

/**
 * A twentieth of the inspections that an organization may make in a minute, so that several people can wait
 * at once.
 */
const LOOK_EVERY_MS = 10_000;
/** Half an hour; after that only on request. */
const LOOKS_MAX = 180;

/** The result of the last check for the record. */
export type ProofSight = 'unseen' | 'unanswered' | 'ended';

export interface ProofWatch {
  /** The record that proves the hostname; null while none is awaited. */
  record: DnsRecord | null;
  sight: ProofSight;
  isLooking: boolean;
  /** Why the wait ended without the hostname; null until then. */
  failure: unknown;
  /** Begins to wait after a refusal that names a record. */
  begin(refused: TypedEndpoint, error: unknown): void;
  /** The request has changed. */
  end(): void;
  lookNow(): void;
}

/**
 * Returns a watch for the record that proves a hostname: it requests the endpoint repeatedly while the page
 * is visible, and opens the endpoint's page as soon as the record is found. Any other refusal ends the wait.
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

/** Whether the same request may succeed a moment later. */
function isForNow(error: unknown): boolean {
  const known = readError(error);
  return known === null || ANSWERS_LATER.has(known.code) || KIND_OF_CODE[known.code] === 'too_many';
}
