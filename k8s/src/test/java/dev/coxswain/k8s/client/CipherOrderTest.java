// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.fixture.TlsServer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import okhttp3.CipherSuite;
import okhttp3.ConnectionSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CipherOrderTest {

  private static final List<ConnectionSpec> DEFAULT =
      List.of(ConnectionSpec.MODERN_TLS, ConnectionSpec.CLEARTEXT);

  @Test
  void suites_areThoseOfTheClient_inAnotherOrder() {
    List<ConnectionSpec> ordered = CipherOrder.chachaFirst(DEFAULT);

    List<CipherSuite> suites = ordered.getFirst().cipherSuites();
    assertThat(suites)
        .containsExactlyInAnyOrderElementsOf(ConnectionSpec.MODERN_TLS.cipherSuites());
    assertThat(suites.getFirst()).isEqualTo(CipherSuite.TLS_CHACHA20_POLY1305_SHA256);
    assertThat(ordered.getFirst().tlsVersions()).isEqualTo(ConnectionSpec.MODERN_TLS.tlsVersions());
    assertThat(ordered.getLast()).isEqualTo(ConnectionSpec.CLEARTEXT);
  }

  @Test
  void whatAUserHasConfigured_staysAsItIs() {
    List<ConnectionSpec> own = List.of(ConnectionSpec.RESTRICTED_TLS);

    assertThat(CipherOrder.chachaFirst(own)).isEqualTo(own);
  }

  /** Whether it is depends on the compilers of the process that runs this. */
  @Test
  void serverThatFollowsItsClient_usesTheSuiteThatIsFirst(@TempDir Path folder) throws Exception {
    try (TlsServer server = TlsServer.start(folder)) {
      Path config = server.kubeconfig(folder, server.authority(), "{token: secret}");
      try (Kubernetes kubernetes = Kubernetes.fromKubeconfig(config, KubernetesOptions.DEFAULT)) {
        kubernetes.serverVersion();
      }

      CipherSuite first = CipherOrder.of(DEFAULT).getFirst().cipherSuites().getFirst();
      assertThat(server.cipherSuite()).isEqualTo(first.javaName());
      if (ManagementFactory.getRuntimeMXBean()
          .getInputArguments()
          .contains("-XX:TieredStopAtLevel=1")) {
        assertThat(server.cipherSuite()).contains("CHACHA20");
      }
    }
  }
}
