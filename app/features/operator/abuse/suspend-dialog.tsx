import { Trans, useLingui } from '@lingui/react/macro';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { trpc } from '../../../trpc.ts';
import { ReasonDialog } from '../reason-dialog.tsx';
import { idsOf, type Suspendable, useSuspendableName } from './suspension.ts';

/** Asks why a site or a version is suspended, and suspends it. */
export function SuspendDialog({ what, onClosed }: { what: Suspendable; onClosed: () => void }) {
  const { t } = useLingui();
  const utils = trpc.useUtils();
  const suspend = trpc.operator.suspendSite.useMutation();
  const name = useSuspendableName()(what);
  return (
    <ReasonDialog
      title={t`Suspend ${name}?`}
      explanation={
        what.version ? (
          <Trans>
            Within a second, this version is no longer served anywhere and cannot be published again; other
            versions can. Open reports about it are closed.
          </Trans>
        ) : (
          <Trans>
            Within a second the site is no longer served: not at its address, its previews or its hostnames.
            Open reports about it are closed.
          </Trans>
        )
      }
      readers={t`Shown to the members of the organization in the console, and sent to them by email.`}
      confirm={t`Suspend`}
      onConfirm={async (reason) => {
        await suspend.mutateAsync({ ...idsOf(what), reason });
        notifySuccess(t({ context: 'site or version', message: `${name} is suspended` }));
        await utils.operator.abuseReports.invalidate();
      }}
      onClosed={onClosed}
    />
  );
}
