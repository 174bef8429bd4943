import { Button } from '@mantine/core';
import { type Icon, IconDownload } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { notifyFailure } from '../../components/notifications/notify.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { downloadFile } from './download-file.ts';

/**
 * Saves a file of an organization; without an address there is nothing to save yet. `failed` reports a
 * failure with its reason.
 */
export function DownloadButton(props: {
  organizationId: string;
  address: string | undefined;
  icon?: Icon;
  size?: 'xs' | 'sm';
  failed: (reason: string) => string;
  children: ReactNode;
}) {
  const { organizationId, address, icon: FileIcon = IconDownload, size = 'sm', failed } = props;
  const describe = useErrorMessage();
  const [isSaving, setSaving] = useState(false);
  const download = async () => {
    if (!address || isSaving) return;
    setSaving(true);
    try {
      await downloadFile(organizationId, address);
    } catch (error) {
      notifyFailure(failed(describe(error)));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<FileIcon size={16} stroke={1.6} aria-hidden />}
      onClick={() => void download()}
      loading={isSaving}
      disabled={!address}
    >
      {props.children}
    </Button>
  );
}
