import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#tests/support/free-port.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import { type Contender, childrenOf, findProgram, pinned } from './wrk-load.ts';

/**
 * Starts nginx (sendfile) on the files and the certificate of a folder; null when it is not installed.
 * @param workers `auto`: one per core; 1: on the first core, like the single process it is compared with
 */
export async function startNginx(folder: string, workers: 1 | 'auto' = 1): Promise<Contender | null> {
  const nginx = findProgram('nginx');
  if (nginx === null) return null;
  const port = await freePort();
  const securePort = await freePort();
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/t;`,
  );
  const configuration = `
worker_processes ${workers}; daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; etag on; keepalive_requests 1000000000;
  default_type application/octet-stream; ${scratch.join(' ')}
  server { listen 127.0.0.1:${port}; root ${folder}; }
  server {
    listen 127.0.0.1:${securePort} ssl http2; root ${folder}; ssl_protocols TLSv1.2 TLSv1.3;
    ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem;
  }
}`;
  await writeFile(join(folder, 'nginx.conf'), configuration);
  const start = [nginx, '-p', folder, '-e', `${folder}/error.log`, '-c', `${folder}/nginx.conf`];
  const command = workers === 1 ? [...pinned(0), ...start] : start;
  const child = spawn(command[0] ?? '', command.slice(1), { stdio: 'ignore' });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/1k.bin`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp)
      return { port, securePort, process: child, workerIds: childrenOf(child.pid ?? 0), host: 'bench.test' };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await endProcess(child, 'SIGTERM');
  return null;
}
