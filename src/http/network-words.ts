/** What a person is told when a connection fails: what Node's codes mean, and what helps. */
import { messageOf } from '../core/errors.js';
import { HttpError } from './http-error.js';

/** Whom the connection was to: `whom` in words, `origin` without user and password. */
export type Peer = { readonly whom: string; readonly origin: string };

/** Before anything of an answer has come. */
export function connectionError(error: unknown, peer: Peer): HttpError {
  if (error instanceof HttpError) return error;
  const code = codeOf(error);
  if (code === 'ECONNRESET' || code === 'EPIPE') {
    return new HttpError('closed', `${peer.whom} closed the connection before it answered`, { cause: error });
  }
  if (code.startsWith('HPE_')) {
    const advice = 'is it the right port, and http:// rather than https://?';
    return new HttpError('garbled', `what answers at ${peer.origin} does not speak HTTP: ${advice}`, { cause: error });
  }
  const { reason, advice } = REASONS[code] ?? tlsReason(code) ?? { reason: messageOf(error), advice: LOOK };
  return new HttpError('unreachable', `cannot reach ${peer.whom} (${reason}): ${advice}`, { reason, cause: error });
}

/** After an answer has begun. */
export function streamError(error: unknown, peer: Peer): HttpError {
  if (error instanceof HttpError) return error;
  return new HttpError('closed', `${peer.whom} closed the connection before its answer was complete`, {
    cause: error,
  });
}

/** When several addresses of one name were tried, the outer error has the code of the last. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

type Reason = { readonly reason: string; readonly advice: string };

const LOOK = 'check the address, and your network';
const NO_ROUTE: Reason = { reason: 'no route to the host', advice: LOOK };
const NAMELESS: Reason = { reason: 'host not found', advice: 'check the name in the address, and your network' };

const REASONS: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: { reason: 'connection refused', advice: 'is the server running, and is this its port?' },
  ENOTFOUND: NAMELESS,
  EAI_FAIL: NAMELESS,
  EAI_NONAME: NAMELESS,
  EAI_AGAIN: { reason: 'host not found', advice: 'no name server answered; check your network' },
  ETIMEDOUT: { reason: 'no answer', advice: LOOK },
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EACCES: { reason: 'not permitted', advice: 'a firewall or sandbox of this machine forbids it' },
  EPERM: { reason: 'not permitted', advice: 'a firewall or sandbox of this machine forbids it' },
};

const UNTRUSTED =
  'if you trust whoever signed it, put the certificate into a file and name that in NODE_EXTRA_CA_CERTS';

function tlsReason(code: string): Reason | undefined {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return { reason: 'its certificate is signed by somebody unknown', advice: UNTRUSTED };
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return { reason: 'its certificate is not valid today', advice: 'check the clock of this machine' };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return { reason: 'its certificate is for another host', advice: 'use the name that the certificate is for' };
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return { reason: 'it does not speak TLS', advice: 'is it http:// rather than https://?' };
  }
  return /^(CERT_|CRL_|ERR_SSL_|ERR_TLS_|UNABLE_TO_)/.test(code)
    ? { reason: `TLS: ${code}`, advice: 'check its certificate' }
    : undefined;
}
