// Errors of the Kubernetes API. Values.
import type { Status, StatusCause } from './types';

// What an API server answered that is no success, or, with the code 0, that nobody answered.
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly retryAfterSeconds: number; // 0: not said
  readonly causes: StatusCause[]; // of an object that is refused: its fields

  constructor(code: number, reason: string, message: string, retryAfterSeconds = 0, causes: StatusCause[] = []) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.causes = causes;
  }

  get unauthenticated(): boolean {
    return this.code === 401;
  }
  get forbidden(): boolean {
    return this.code === 403;
  }
  get missing(): boolean {
    return this.code === 404;
  }
  get conflict(): boolean {
    return this.code === 409;
  }
  get expired(): boolean {
    return this.code === 410;
  }
  // True when the same request may succeed later: whoever should answer does not, or is busy.
  get unavailable(): boolean {
    return this.code === 0 || this.code === 429 || this.code >= 500;
  }
}

export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as Status).kind === 'Status';
}

// The error of an answer with this HTTP code whose body, if it is one, is a metav1.Status.
export function errorOf(code: number, body: unknown, retryAfter?: string | null): ApiError {
  const status = isStatus(body) ? body : undefined;
  const seconds = Number(retryAfter ?? status?.details?.retryAfterSeconds ?? 0);
  return new ApiError(
    code,
    status?.reason ?? '',
    status?.message || (typeof body === 'string' && body.length > 0 && body.length < 1024 ? body : `HTTP ${code}`),
    Number.isFinite(seconds) && seconds > 0 ? seconds : 0,
    Array.isArray(status?.details?.causes) ? status.details.causes : [],
  );
}

// Whatever was thrown, as an ApiError.
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, '', thrown instanceof Error ? thrown.message : String(thrown));
}
