import { useCallback, useEffect, useRef, useState } from 'react';
import type { DeployReport } from '#server/services/deployments/schema.ts';
import { useServerBack, watchForServer } from '../../components/lazy-parts/server-watch.ts';
import { isRetriable } from '../../i18n/errors/read-error.ts';
import { trpc } from '../../trpc.ts';
import { deployArchive, isZip } from './upload/deploy-archive.ts';
import { createDeployJob, type DeployProgress } from './upload/deploy-job.ts';
import { createDeployPorts } from './upload/deploy-ports.ts';
import { type PickedFile, toPickedFolder } from './upload/picked-files.ts';

/** What a person deploys: files with their paths, which may take a while to find, or one archive. */
export type DeploySource =
  | { kind: 'files'; read: (onCount: (count: number) => void, signal: AbortSignal) => Promise<PickedFile[]> }
  | { kind: 'archive'; file: File };

/** What the drop zone shows. */
export type DeployState =
  | { step: 'idle' }
  | { step: 'reading'; count: number }
  | DeployProgress
  | { step: 'done'; report: DeployReport; leftOut: number; hasIndex: boolean }
  | { step: 'failed'; error: unknown; during: DeployProgress['step'] | 'reading' }
  | { step: 'empty'; leftOut: number };

export type RunningStep = DeployProgress['step'] | 'reading';
const RUNNING: ReadonlySet<string> = new Set(['reading', 'hashing', 'uploading', 'publishing']);

/** Whether a deploy is in progress. */
export function isRunning(state: DeployState): state is DeployState & { step: RunningStep } {
  return RUNNING.has(state.step);
}

interface Attempt {
  run(show: (state: DeployState) => void, signal: AbortSignal): Promise<DeployState>;
  /** Discards what a cancelled deploy left behind on the server. */
  discard(): void;
}

/** Runs deploys to one site, one at a time, and reports their progress. */
export function useDeploy(site: { organization_id: string; site_id: string }, onDeployed: () => void) {
  const { client } = trpc.useUtils();
  const [state, setState] = useState<DeployState>({ step: 'idle' });
  const attempt = useRef<Attempt>(null);
  const abort = useRef<AbortController>(null);
  const latest = useRef({ onDeployed });
  latest.current = { onDeployed };

  const run = useCallback(async (next: Attempt) => {
    abort.current?.abort();
    const controller = new AbortController();
    abort.current = controller;
    attempt.current = next;
    let during: RunningStep = 'reading';
    const show = (progress: DeployState) => {
      if (controller.signal.aborted) return;
      if (isRunning(progress)) during = progress.step;
      setState(progress);
    };
    try {
      const end = await next.run(show, controller.signal);
      show(end);
      if (end.step === 'done') latest.current.onDeployed();
    } catch (error) {
      if (isRetriable(error)) watchForServer();
      show({ step: 'failed', error, during });
    }
  }, []);

  const start = (source: DeploySource) => {
    void run(
      source.kind === 'archive' ? archiveAttempt(source.file, site) : filesAttempt(source, client, site),
    );
  };
  const stop = () => {
    abort.current?.abort(new DOMException('cancelled', 'AbortError'));
    attempt.current?.discard();
    attempt.current = null;
    setState({ step: 'idle' });
  };
  const retry = () => {
    if (attempt.current) void run(attempt.current);
  };
  useServerBack(state.step === 'failed' && isRetriable(state.error), retry);
  // Leaving the page stops the upload; what has arrived is kept for the next deploy of the same files.
  useEffect(() => () => abort.current?.abort(), []);

  return {
    state,
    start,
    /** Continues after a failure where it stopped; automatically when an unreachable server is back. */
    retry,
    /** Ends a running deploy, or dismisses a finished or failed one. */
    stop,
    dismiss: () => setState({ step: 'idle' }),
  };
}

function archiveAttempt(file: File, site: { organization_id: string; site_id: string }): Attempt {
  return {
    run: async (show, signal) => {
      const report = await deployArchive(file, site, show, signal);
      return { step: 'done', report, leftOut: 0, hasIndex: true };
    },
    discard: () => undefined,
  };
}

function filesAttempt(
  source: Extract<DeploySource, { kind: 'files' }>,
  client: Parameters<typeof createDeployPorts>[0],
  site: { organization_id: string; site_id: string },
): Attempt {
  let prepared: { job: ReturnType<typeof createDeployJob>; leftOut: number; hasIndex: boolean } | null = null;
  return {
    run: async (show, signal) => {
      if (!prepared) {
        show({ step: 'reading', count: 0 });
        const picked = await source.read((count) => show({ step: 'reading', count }), signal);
        const [only] = picked;
        if (only && picked.length === 1 && isZip(only.file))
          return archiveAttempt(only.file, site).run(show, signal);
        const { files, leftOut } = toPickedFolder(picked);
        if (files.length === 0) return { step: 'empty', leftOut };
        prepared = {
          job: createDeployJob(files, createDeployPorts(client, site)),
          leftOut,
          hasIndex: files.some((file) => file.path === 'index.html'),
        };
      }
      const report = await prepared.job.run(show, signal);
      return { step: 'done', report, leftOut: prepared.leftOut, hasIndex: prepared.hasIndex };
    },
    discard: () => {
      const versionId = prepared?.job.versionId;
      // Not awaited: an open version that stays is collected after a day.
      if (versionId)
        client.deployments.cancel.mutate({ ...site, version_id: versionId }).catch(() => undefined);
    },
  };
}
