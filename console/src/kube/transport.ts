// The way to a kube-apiserver: the seam behind which the console and the page of its own differ.

export interface TransportRequest {
  method?: string; // GET unless given
  accept?: string; // application/json unless given
  contentType?: string;
  body?: string;
  signal?: AbortSignal;
}

export interface Transport {
  // Sends a request to an absolute path of the API. Resolves to an answer of success, whose body is
  // not read; rejects with an ApiError otherwise, of code 0 when nobody answers.
  fetch(path: string, request?: TransportRequest): Promise<Response>;
  // Opens a WebSocket for a watch.
  webSocket(path: string): WebSocket;
}
