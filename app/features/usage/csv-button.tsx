import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { DownloadButton } from './download-button.tsx';

/** Saves what is shown as CSV; without an address there is nothing to save yet. */
export function CsvButton({
  children = <Trans>Download CSV</Trans>,
  ...props
}: {
  organizationId: string;
  address: string | undefined;
  size?: 'xs' | 'sm';
  /** What is saved, if there are several choices. */
  children?: ReactNode;
}) {
  const { t } = useLingui();
  return (
    <DownloadButton {...props} failed={(message) => t`The CSV could not be downloaded: ${message}`}>
      {children}
    </DownloadButton>
  );
}
