import { Trans } from '@lingui/react/macro';
import { Skeleton, Text } from '@mantine/core';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { DeployReportView } from '../deploy-report-view.tsx';

/** The report of one version, loaded when it is opened. */
export function VersionChanges({ siteId, versionId }: { siteId: string; versionId: string }) {
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const version = trpc.deployments.get.useQuery(
    { organization_id: organization.id, site_id: siteId, version_id: versionId },
    // A sealed version and its report never change.
    { staleTime: Number.POSITIVE_INFINITY },
  );
  if (version.isPending) return <Skeleton height={48} mt="sm" />;
  if (version.isError) {
    return <ErrorNotice onRetry={version.refetch}>{describe(version.error)}</ErrorNotice>;
  }
  const { report } = version.data;
  if (!report) {
    return (
      <Text size="sm" c="dimmed" mt="sm">
        <Trans>There is no report for this version.</Trans>
      </Text>
    );
  }
  return <DeployReportView report={report} />;
}
