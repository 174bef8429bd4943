import { Trans, useLingui } from '@lingui/react/macro';
import { DownloadButton } from './download-button.tsx';

/** Saves what is on the screen as CSV; without an address there is nothing to save yet. */
export function CsvButton(props: {
  organizationId: string;
  address: string | undefined;
  size?: 'xs' | 'sm';
}) {
  const { t } = useLingui();
  return (
    <DownloadButton {...props} failed={(message) => t`The CSV could not be downloaded: ${message}`}>
      <Trans>Download CSV</Trans>
    </DownloadButton>
  );
}
