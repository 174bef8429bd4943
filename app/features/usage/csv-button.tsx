import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { notifyFailure } from '../../components/notify.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { downloadUsageCsv } from './csv-download.ts';

/** Saves the days on the screen as CSV; without days there is nothing to save yet. */
export function CsvButton(props: {
  organizationId: string;
  days: { start_date: string; end_date: string } | undefined;
}) {
  const { t } = useLingui();
  const { organizationId, days } = props;
  const describe = useErrorMessage();
  const [isSaving, setSaving] = useState(false);
  const download = async () => {
    if (!days || isSaving) return;
    setSaving(true);
    try {
      await downloadUsageCsv(organizationId, days);
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
      disabled={!days}
    >
      <Trans>Download CSV</Trans>
    </Button>
  );
}
