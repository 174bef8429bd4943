import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyFailure } from '../../components/notify.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { downloadCsv } from './csv-download.ts';

/** Saves what is on the screen as CSV; without an address there is nothing to save yet. */
export function CsvButton(props: { organizationId: string; address: string | undefined }) {
  const { t } = useLingui();
  const { organizationId, address } = props;
  const describe = useErrorMessage();
  const [isSaving, setSaving] = useState(false);
  const download = async () => {
    if (!address || isSaving) return;
    setSaving(true);
    try {
      await downloadCsv(organizationId, address);
    } catch (error) {
      const message = describe(error);
      notifyFailure(t`The CSV could not be downloaded: ${message}`);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => void download()}
      loading={isSaving}
      disabled={!address}
    >
      <Trans>Download CSV</Trans>
    </Button>
  );
}
