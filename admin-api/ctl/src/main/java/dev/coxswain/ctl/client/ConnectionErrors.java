// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.coxswain.ctl.cli.CtlException;
import dev.coxswain.ctl.cli.HumanDuration;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Messages for failed connections: the cause, and what to do about it. */
public final class ConnectionErrors {

  private static final int MILLIS_PER_SECOND = 1000;

  private ConnectionErrors() {}

  /**
   * Returns the end of a command.
   *
   * @param address who did not answer
   * @param reading whether nothing can have been changed
   * @param timeout how long was waited
   */
  static CtlException answer(String address, boolean reading, Duration timeout, IOException e) {
    String where = "the admin API at " + address;
    @Nullable String unreached = unreached(where, address, e);
    if (unreached != null) {
      return new CtlException(unreached, e);
    }
    String why =
        switch (e) {
          case SocketTimeoutException _ -> where + " did not answer within " + shown(timeout);
          case JsonProcessingException _ ->
              where + " answered with something else than JSON: is it an admin API?";
          default ->
              "the connection to "
                  + where
                  + " failed: "
                  + CtlException.reason(e)
                  + hint(address, e);
        };
    return new CtlException(
        reading
            ? why
            : why + "\nwhether the change was made is not known: look before you try again",
        e);
  }

  /** Returns how long was waited; parts of a second count, since people can ask for them. */
  private static String shown(Duration timeout) {
    long millis = Math.max(1, timeout.toMillis()); // nobody waits less
    return millis % MILLIS_PER_SECOND == 0 ? HumanDuration.shown(timeout) : millis + "ms";
  }

  /** Returns what to say when nothing has been sent for sure, or null. */
  private static @Nullable String unreached(String where, String address, IOException e) {
    if (e instanceof ConnectException) {
      String why = e.getMessage();
      return where + " cannot be reached" + (why == null ? "" : ": " + why);
    }
    if (e instanceof UnknownHostException) {
      return where + " cannot be reached: there is no such host";
    }
    if (!(e instanceof SSLException)) {
      return null;
    }
    String text = whole(e);
    if (text.contains("unable to find valid certification path")) {
      return where
          + " shows a certificate that is not trusted here;\ngive the PEM file of who has issued it"
          + " with --certificate-authority";
    }
    if (text.contains("No subject alternative") || text.contains("No name matching")) {
      return where
          + " shows a certificate for another name: "
          + CtlException.reason(e)
          + ";\nuse an address that the certificate names";
    }
    if (text.contains("expired") || text.contains("NotAfter")) {
      return where + " shows a certificate that has expired: " + CtlException.reason(e);
    }
    if (text.contains("Unsupported or unrecognized SSL message")) {
      return where
          + " does not speak TLS; if it listens on this machine, use "
          + address.replaceFirst("^https:", "http:");
    }
    return null;
  }

  /** Who speaks HTTP to a server that wants TLS gets no answer, or a few bytes. */
  private static String hint(String address, IOException e) {
    String text = whole(e);
    return address.startsWith("http:")
            && (text.contains("Unexpected end of file")
                || text.contains("Invalid Http response")
                || text.contains("Connection reset"))
        ? "; if it speaks TLS, use " + address.replaceFirst("^http:", "https:")
        : "";
  }

  private static String whole(Throwable e) {
    StringBuilder text = new StringBuilder();
    for (@Nullable Throwable cause = e; cause != null; cause = cause.getCause()) {
      text.append(cause.getMessage()).append('\n');
    }
    return text.toString();
  }
}
