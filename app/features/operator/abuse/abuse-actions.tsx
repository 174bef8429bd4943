import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import type { AbuseReport } from '#server/services/abuse/schema.ts';
import { trpc } from '../../../trpc.ts';
import { useAct } from '../use-act.ts';
import { idsOf, type Suspendable, useSuspendableName } from './suspension.ts';

/** What can be done about a report: close it, and suspend or resume the version and the site. */
export function AbuseActions(props: { report: AbuseReport; onSuspend: (what: Suspendable) => void }) {
  const { report, onSuspend } = props;
  const { site, version } = report;
  const { t } = useLingui();
  const utils = trpc.useUtils();
  const resume = trpc.operator.resumeSite.useMutation();
  const dismiss = trpc.operator.dismissAbuseReport.useMutation();
  const act = useAct(() => utils.operator.abuseReports.invalidate());
  const nameOf = useSuspendableName();
  const wordsFor = useActionWords();
  const suspendable: Suspendable[] = site
    ? [...(version ? [{ site, version }] : []), { site, version: null }]
    : [];
  return (
    <>
      {report.closed_at === null && (
        <Button
          size="xs"
          variant="default"
          aria-label={t`Dismiss the report about ${report.address}`}
          onClick={() => void act(dismiss.mutateAsync({ report_id: report.id }), t`The report is closed`)}
        >
          <Trans context="report">Dismiss</Trans>
        </Button>
      )}
      {suspendable.map((what) => {
        const isSuspended = (what.version ?? what.site).suspended_at !== null;
        const { text, label } = wordsFor(what, isSuspended);
        return (
          <Button
            key={what.version ? 'version' : 'site'}
            size="xs"
            variant="default"
            aria-label={label}
            onClick={() =>
              isSuspended
                ? void act(resume.mutateAsync(idsOf(what)), t`${nameOf(what)} is served again`)
                : onSuspend(what)
            }
          >
            {text}
          </Button>
        );
      })}
    </>
  );
}

/** Returns the words of a button. Screen readers announce what is visible first. */
function useActionWords(): (what: Suspendable, isSuspended: boolean) => { text: string; label: string } {
  const { t } = useLingui();
  return ({ site, version }, isSuspended) => {
    if (isSuspended)
      return version
        ? { text: t`Resume version`, label: t`Resume version ${version.number} of ${site.name}` }
        : { text: t`Resume site`, label: t`Resume site ${site.name}` };
    return version
      ? { text: t`Suspend version`, label: t`Suspend version ${version.number} of ${site.name}` }
      : { text: t`Suspend site`, label: t`Suspend site ${site.name}` };
  };
}
