import { useLingui } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { Bundle } from '#server/services/certificates/schema.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useEndpointParams } from '../../cdn/endpoint/use-endpoint-params.ts';
import { CERTIFICATE_PROBLEM_WORDS } from './certificate-problem-words.ts';

/** What a person may request: validate the records and issue, issue, or create a bundle first. */
export type CertificateAction = 'validate' | 'issue' | 'request';

/** The result of an action, for the banner. */
export interface Outcome {
  isSuccess: boolean;
  title: string;
  /** Why, in the language of the page. */
  reason: string | null;
}

/** An issuance that continues after the call: the earlier state of the bundle, to detect news. */
interface Awaited {
  action: CertificateAction;
  issuedAt: string | null;
  problemAt: string | null;
}

export interface CertificateActions {
  /** The action in progress. */
  running: CertificateAction | null;
  outcome: Outcome | null;
  dismiss(): void;
  run(action: CertificateAction): void;
}

/** How often the endpoint is read while a call is in progress: it shows the steps. */
const FOLLOW_MS = 1200;

/**
 * Returns the actions of the certificate panel: validate-and-issue validates, reloads, issues and reloads.
 * The result is known once the certificate is there or the attempt has failed, in the call or after it.
 */
export function useCertificateActions(endpoint: Endpoint): CertificateActions {
  const { t, i18n } = useLingui();
  const describe = useErrorMessage();
  const ofEndpoint = useEndpointParams();
  const { organization_id } = ofEndpoint;
  const utils = trpc.useUtils();
  const create = trpc.certificates.create.useMutation();
  const validate = trpc.certificates.validate.useMutation();
  const issue = trpc.certificates.issue.useMutation();
  const [running, setRunning] = useState<CertificateAction | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [awaited, setAwaited] = useState<Awaited | null>(null);
  const { bundle } = endpoint;

  const titles: Record<CertificateAction, { done: string; failed: string }> = {
    validate: {
      done: t`DNS validated and certificate issued`,
      failed: t`Failed to validate DNS or issue certificate`,
    },
    issue: { done: t`Certificate issued successfully`, failed: t`Failed to issue certificate` },
    request: { done: t`Certificate requested`, failed: t`Failed to create certificate` },
  };
  const succeed = (action: CertificateAction) =>
    setOutcome({ isSuccess: true, title: titles[action].done, reason: null });
  const fail = (action: CertificateAction, reason: string | null) =>
    setOutcome({ isSuccess: false, title: titles[action].failed, reason });
  const reload = async () => {
    await utils.cdn.get.invalidate(ofEndpoint);
    void utils.cdn.page.invalidate();
  };

  /** Returns the bundle after the call, or null when there is nothing to wait for. */
  const act = async (action: CertificateAction, bundleId: string | undefined): Promise<Bundle | null> => {
    if (action === 'request') {
      await create.mutateAsync(ofEndpoint);
      return null;
    }
    if (bundleId === undefined) return null;
    const ofBundle = { organization_id, bundle_id: bundleId };
    if (action === 'validate') {
      await validate.mutateAsync(ofBundle);
      await reload();
      void utils.certificates.dnsReport.invalidate(ofBundle);
    }
    return issue.mutateAsync(ofBundle);
  };

  const run = async (action: CertificateAction) => {
    if (running !== null) return;
    const before = { issuedAt: bundle?.issued_at ?? null, problemAt: bundle?.problem?.at ?? null };
    setRunning(action);
    setOutcome(null);
    setAwaited(null);
    try {
      const after = await act(action, bundle?.id);
      await reload();
      if (after === null || isNewlyIssued(after, before)) succeed(action);
      else setAwaited({ action, ...before });
    } catch (error) {
      fail(action, describe(error));
      await reload();
    }
    setRunning(null);
  };

  useEffect(() => {
    if (awaited === null || bundle === null || running !== null) return;
    const problem = bundle.step === null && bundle.problem?.at !== awaited.problemAt ? bundle.problem : null;
    if (isNewlyIssued(bundle, awaited)) {
      setAwaited(null);
      succeed(awaited.action);
    } else if (problem) {
      setAwaited(null);
      fail(awaited.action, i18n._(CERTIFICATE_PROBLEM_WORDS[problem.code].wrong));
    }
  });

  useEffect(() => {
    if (running === null) return;
    const timer = setInterval(() => void utils.cdn.get.invalidate(ofEndpoint), FOLLOW_MS);
    return () => clearInterval(timer);
  }, [running, utils, ofEndpoint]);

  return {
    running,
    outcome,
    dismiss: () => setOutcome(null),
    run: (action) => void run(action),
  };
}

function isNewlyIssued(bundle: Bundle, before: { issuedAt: string | null }): boolean {
  return bundle.issued_at !== null && bundle.issued_at !== before.issuedAt;
}
