// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** As much of HTTP/1.1 as the load generator needs; any thread. */
final class Wire {
  private static final int END_OF_HEAD = 4;

  private Wire() {}

  /** Returns a request; an empty body is none. */
  static byte[] request(String method, String path, String contentType, byte[] body) {
    String head =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: bench\r\nAccept: application/json\r\n"
            + (body.length == 0
                ? ""
                : "Content-Type: " + contentType + "\r\nContent-Length: " + body.length + "\r\n")
            + "\r\n";
    byte[] ascii = head.getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[ascii.length + body.length];
    System.arraycopy(ascii, 0, all, 0, ascii.length);
    System.arraycopy(body, 0, all, ascii.length, body.length);
    return all;
  }

  /** Returns how long the head at the start of a buffer ready to be read is, -1 = not all there. */
  static int head(ByteBuffer in) {
    for (int at = 0; at + END_OF_HEAD <= in.limit(); at++) {
      if (in.get(at) == '\r'
          && in.get(at + 1) == '\n'
          && in.get(at + 2) == '\r'
          && in.get(at + 3) == '\n') {
        return at + END_OF_HEAD;
      }
    }
    return -1;
  }

  /** The status in a head. */
  static int status(ByteBuffer in) {
    int first = "HTTP/1.1 ".length();
    return (in.get(first) - '0') * 100 + (in.get(first + 1) - '0') * 10 + (in.get(first + 2) - '0');
  }

  /** The length of the body that a head announces. */
  static int contentLength(ByteBuffer in, int head) throws IOException {
    String text =
        new String(in.array(), in.arrayOffset(), head, StandardCharsets.US_ASCII)
            .toLowerCase(Locale.ROOT);
    int at = text.indexOf("\r\ncontent-length:");
    if (at < 0) {
      throw new IOException("an answer has no Content-Length: " + text);
    }
    int from = at + "\r\ncontent-length:".length();
    return Integer.parseInt(text.substring(from, text.indexOf("\r\n", from)).trim());
  }
}
