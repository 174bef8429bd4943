import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyFailure } from '../../components/notify.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { type CsvRange, downloadUsageCsv } from './csv-download.ts';

/** Saves what is on the screen as CSV; without a range there is nothing to save yet. */
export function CsvButton(props: { organizationId: string; range: CsvRange | undefined }) {
  const { t } = useLingui();
  const { organizationId, range } = props;
  const describe = useErrorMessage();
  const [isSaving, setSaving] = useState(false);
  const download = async () => {
    if (!range || isSaving) return;
    setSaving(true);
    try {
      await downloadUsageCsv(organizationId, range);
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
      disabled={!range}
    >
      <Trans>Download CSV</Trans>
    </Button>
  );
}
