import { useLingui } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Site } from '#server/services/sites/schema.ts';
import { useLeaveWarning } from '../../components/dialogs/use-leave-warning.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { DeployFailure } from './deploy-failure.tsx';
import { DeployPicker } from './deploy-picker.tsx';
import { DeployProgressView } from './deploy-progress-view.tsx';
import { DeployResult } from './deploy-result.tsx';
import classes from './deploy-zone.module.css';
import type { Resumption } from './history/use-resumption.ts';
import { readDropped, takeDropped } from './upload/read-dropped.ts';
import { type DeploySource, isRunning, useDeploy } from './use-deploy.ts';
import { useDeployAnnouncement } from './use-deploy-announcement.ts';
import { useWindowDrop } from './use-window-drop.ts';

/** Where a folder or .zip is dropped or chosen, with its progress, report or failure. */
export function DeployZone(props: {
  site: Site;
  /** An interrupted deploy that is being resumed. */
  resumption: Resumption | null;
  /** What was chosen in the panel beside the page. */
  picked: DeploySource | null;
  onDeployed: () => void;
  onBusy: (isBusy: boolean) => void;
}) {
  const { site, resumption, picked, onDeployed, onBusy } = props;
  const { t } = useLingui();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('deployment.create');
  const utils = trpc.useUtils();
  const ofSite = { organization_id: organization.id, site_id: site.id };
  const deploy = useDeploy(ofSite, () => {
    void utils.deployments.list.invalidate(ofSite);
    onDeployed();
  });
  const { state } = deploy;
  const isBusy = isRunning(state);
  useEffect(() => onBusy(isBusy || state.step === 'failed'), [isBusy, state.step, onBusy]);
  useWhenReplaced({ deployed: state.step === 'done' ? state.report.version_id : null, site }, deploy.dismiss);
  const start = useRef(deploy.start);
  start.current = deploy.start;
  useEffect(() => {
    if (resumption) start.current({ kind: 'files', read: async () => resumption.files });
  }, [resumption]);
  useEffect(() => {
    if (picked) start.current(picked);
  }, [picked]);
  const isOver = useWindowDrop((data) => {
    if (reason !== null || isBusy) return;
    const dropped = takeDropped(data.items);
    deploy.start({ kind: 'files', read: (onCount, signal) => readDropped(dropped, onCount, signal) });
  });
  useLeaveWarning({
    isActive: isBusy,
    title: t`A deploy is under way`,
    text: t`If you leave this page, it stops. The live site stays as it is, and what has been sent is kept.`,
    leave: t`Leave and stop`,
  });
  const announcement = useDeployAnnouncement(state);

  return (
    <Card
      component="section"
      className={`${classes.zone} screen-only`}
      data-over={isOver && reason === null && !isBusy ? true : undefined}
      data-open={state.step === 'idle' || state.step === 'empty' ? true : undefined}
      aria-label={t`Deploy files`}
      mb="lg"
    >
      <div className="visually-hidden" role="status">
        {announcement}
      </div>
      {(state.step === 'idle' || state.step === 'empty') && (
        <DeployPicker
          isFirst={site.current_version_id === null}
          isOver={isOver}
          reason={reason}
          isEmptyPick={state.step === 'empty'}
          onPick={deploy.start}
        />
      )}
      {isRunning(state) && <DeployProgressView state={state} onCancel={deploy.stop} />}
      {state.step === 'failed' && (
        <DeployFailure
          error={state.error}
          during={state.during}
          onRetry={deploy.retry}
          onDismiss={deploy.stop}
        />
      )}
      {state.step === 'done' && <DeployResult result={state} onDismiss={deploy.dismiss} />}
    </Card>
  );
}

/** Calls `onReplaced` when the version that was just deployed, and was live, is so no more: after a rollback. */
function useWhenReplaced(at: { deployed: string | null; site: Site }, onReplaced: () => void): void {
  const { deployed } = at;
  const liveId = at.site.current_version_id;
  const wasLive = useRef<string | null>(null);
  const replaced = useRef(onReplaced);
  replaced.current = onReplaced;
  useEffect(() => {
    if (deployed === null) return;
    // The site is asked again after a deploy: until then the previous version is its current one.
    if (liveId === deployed) wasLive.current = deployed;
    else if (wasLive.current === deployed) replaced.current();
  }, [deployed, liveId]);
}
