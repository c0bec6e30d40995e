// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.print.HumanDuration;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Messages for failed connections: the cause and the remedy. */
public final class ConnectionErrors {

  private static final int MILLIS_PER_SECOND = 1000;

  private ConnectionErrors() {}

  /**
   * Returns the exception that ends a command.
   *
   * @param address the address of the server
   * @param reading whether the request was a read, which changes nothing
   * @param timeout the time-out of the request
   */
  static CommandException answer(String address, boolean reading, Duration timeout, IOException e) {
    String where = "the admin API at " + address;
    @Nullable String unreached = unreached(where, address, e);
    if (unreached != null) {
      return new CommandException(unreached, e);
    }
    String why =
        switch (e) {
          case SocketTimeoutException _ -> where + " did not answer within " + shown(timeout);
          case JsonProcessingException _ ->
              where + " returned something else than JSON: is it an admin API?";
          default ->
              "the connection to %s failed: %s%s"
                  .formatted(where, CommandException.reason(e), hint(address, e));
        };
    return new CommandException(
        reading ? why : why + "\nthe change may have been made: check before you retry", e);
  }

  /** Returns the time-out with fractions of a second, which {@code --request-timeout} accepts. */
  private static String shown(Duration timeout) {
    long millis = Math.max(1, timeout.toMillis()); // 0 ms would look like no time-out
    return millis % MILLIS_PER_SECOND == 0 ? HumanDuration.shown(timeout) : millis + "ms";
  }

  /** Returns the message for a failure before anything was sent, or null. */
  private static @Nullable String unreached(String where, String address, IOException e) {
    if (e instanceof ConnectException) {
      String why = e.getMessage();
      return where + " cannot be reached" + (why == null ? "" : ": " + why);
    }
    if (e instanceof UnknownHostException) {
      return where + " cannot be reached: unknown host";
    }
    if (!(e instanceof SSLException)) {
      return null;
    }
    String text = whole(e);
    if (text.contains("unable to find valid certification path")) {
      return where
          + " has a certificate that is not trusted;\ngive the PEM file of its issuer with"
          + " --certificate-authority";
    }
    if (text.contains("No subject alternative") || text.contains("No name matching")) {
      return "%s has a certificate for another name: %s;\nuse an address that is in the certificate"
          .formatted(where, CommandException.reason(e));
    }
    if (text.contains("expired") || text.contains("NotAfter")) {
      return where + " has an expired certificate: " + CommandException.reason(e);
    }
    if (text.contains("Unsupported or unrecognized SSL message")) {
      return where
          + " does not use TLS; if it listens on this machine, use "
          + address.replaceFirst("^https:", "http:");
    }
    return null;
  }

  /**
   * Returns a hint to use TLS: a server with TLS closes a plain HTTP connection, or sends a few
   * bytes.
   */
  private static String hint(String address, IOException e) {
    String text = whole(e);
    return address.startsWith("http:")
            && (text.contains("Unexpected end of file")
                || text.contains("Invalid Http response")
                || text.contains("Connection reset"))
        ? "; if it uses TLS, use " + address.replaceFirst("^http:", "https:")
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
