// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import okhttp3.CipherSuite;
import okhttp3.ConnectionSpec;

/**
 * The order in which cipher suites are offered to an API server.
 *
 * <p>Only the optimising compiler of the JVM uses the processor's instructions for AES: without it,
 * as in a host (ADR 0047), AES-GCM takes 33 ns for each byte that is received, and ChaCha20 8. A
 * server in Go follows a client that offers ChaCha20 first; one that does not decides as before. The
 * set of the suites stays the same.
 *
 * <p>Thread rule: any thread.
 */
final class CipherOrder {

  private static final String COMPILERS = "TieredStopAtLevel";
  private static final int OPTIMISING = 4;
  private static final String CHACHA = "CHACHA20";

  private CipherOrder() {}

  /** Returns what to offer in this process. Specifications other than the client's default stay. */
  static List<ConnectionSpec> of(List<ConnectionSpec> configured) {
    return optimises() ? configured : chachaFirst(configured);
  }

  static List<ConnectionSpec> chachaFirst(List<ConnectionSpec> configured) {
    return configured.stream()
        .map(spec -> spec.equals(ConnectionSpec.MODERN_TLS) ? chachaFirst(spec) : spec)
        .toList();
  }

  private static ConnectionSpec chachaFirst(ConnectionSpec spec) {
    List<CipherSuite> suites = Objects.requireNonNull(spec.cipherSuites());
    CipherSuite[] ordered =
        Stream.concat(
                suites.stream().filter(CipherOrder::isChacha),
                suites.stream().filter(suite -> !isChacha(suite)))
            .toArray(CipherSuite[]::new);
    return new ConnectionSpec.Builder(spec).cipherSuites(ordered).build();
  }

  private static boolean isChacha(CipherSuite suite) {
    return suite.javaName().contains(CHACHA);
  }

  private static boolean optimises() {
    try {
      HotSpotDiagnosticMXBean machine =
          ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      return Integer.parseInt(machine.getVMOption(COMPILERS).getValue()) >= OPTIMISING;
    } catch (RuntimeException | LinkageError e) {
      return true; // another virtual machine: unknown
    }
  }
}
