// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.client.ClientFactory;
import dev.coxswain.ctl.internal.client.DevSessions;
import dev.coxswain.ctl.internal.client.Endpoint;
import dev.coxswain.ctl.internal.client.TokenSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the admin API is looked for, and whose word is believed. */
@Order(1) // takes long
class ConnectionsTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:8090",
        "http://localhost:8090/",
        "http://[::1]:8090",
        "http://127.9.9.9",
        "https://coxswain.example.com",
        "https://proxy.example.com/coxswain/",
      })
  void anAddress_isTaken(String text) {
    assertThat(ClientFactory.server(text).toString()).isEqualTo(text.replaceFirst("/$", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:8090",
        "ftp://127.0.0.1",
        "http:///x",
        "http://127.0.0.1:8090/api/v1",
        "https://x/?a=b",
        "not an address",
        "",
      })
  void whatIsNone_isRefused(String text) {
    assertThatThrownBy(() -> ClientFactory.server(text))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("expected an address such as");
  }

  @Test
  void aPasswordInAnAddress_isRefused_andNotRepeated() {
    assertThatThrownBy(() -> ClientFactory.server("https://me:hunter2@x.example.com"))
        .hasMessageContaining("...@x.example.com")
        .hasMessageNotContaining("hunter2");
  }

  /** A name that only looks like the loopback address must not get a token in the clear. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://10.0.0.7:8090",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://0.0.0.0:8090"
      })
  void withoutTls_noTokenLeavesThisMachine(String text) {
    assertThatThrownBy(() -> ClientFactory.server(text)).hasMessageContaining("not encrypted");
  }

  @Test
  void anAddressWithoutAToken_explainsTokens() {
    CtlRunner ctl = new CtlRunner().with("COXSWAIN_SERVER", "http://127.0.0.1:1");
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(ctl.errors()).contains("--token-file", "COXSWAIN_TOKEN", "COXSWAIN_TOKEN_FILE");
  }

  @Test
  void theKubeconfigOfASessionThatHasEnded_isNamed() {
    Path gone = folder.resolve("coxswain-dev-7").resolve("kubeconfig");
    CtlRunner ctl = new CtlRunner().with("KUBECONFIG", gone.toString());
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(ctl.errors())
        .contains("KUBECONFIG: there is no file " + gone + "; the session of coxswain dev");
    assertThat(ctl.run("limiters", "--kubeconfig", folder.resolve("none").toString())).isEqualTo(1);
    assertThat(ctl.errors()).contains("--kubeconfig: there is no file " + folder.resolve("none"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  \n", "two words", "two\nlines", "gr\u00f6\u00dfe"})
  void whatIsNoToken_isRefused_andNotRepeated(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), text);
    assertThatThrownBy(() -> TokenSource.ofFile(file))
        .hasMessage("token file " + file + " does not contain a token");
    assertThatThrownBy(() -> TokenSource.ofFile(folder.resolve("none")))
        .hasMessageContaining("no such file");
  }

  @Test
  void theSessionThatRuns_isFound() throws IOException {
    Path session = session("coxswain-dev-1", ProcessHandle.current().pid());
    Files.writeString(session.resolve("admin-token"), "abc\n");
    Endpoint found = Objects.requireNonNull(DevSessions.only(folder, null));
    assertThat(found.servers()).hasToString("[http://127.0.0.1:18090, http://127.0.0.1:18091]");
    assertThat(found.token()).isEqualTo("abc");
    assertThat(DevSessions.beside(session.resolve("kubeconfig"), null)).isNotNull();
    assertThat(Objects.requireNonNull(DevSessions.only(folder, () -> "given")).token())
        .isEqualTo("given");
  }

  @Test
  void sessionsThatHaveEnded_orAreOthers_areNotBelieved() throws IOException {
    session("coxswain-dev-ended", Integer.MAX_VALUE);
    Path open = session("coxswain-dev-open", ProcessHandle.current().pid());
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path broken = session("coxswain-dev-broken", ProcessHandle.current().pid());
    Files.writeString(broken.resolve("session.json"), "{");
    assertThat(DevSessions.only(folder, null)).isNull();
    assertThat(DevSessions.beside(open.resolve("kubeconfig"), null)).isNull();
    assertThat(DevSessions.only(folder.resolve("none"), null)).isNull();
  }

  @Test
  void ofTwoSessions_oneMustBeChosen() throws IOException {
    session("coxswain-dev-1", ProcessHandle.current().pid());
    session("coxswain-dev-2", ProcessHandle.current().pid());
    assertThatThrownBy(() -> DevSessions.only(folder, null))
        .hasMessageContaining("2 sessions of coxswain dev are running");
  }

  private Path session(String name, long pid) throws IOException {
    Path made =
        Files.createDirectory(
            folder.resolve(name),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(
        made.resolve("session.json"),
        "{\"pid\":%d,\"servers\":[\"http://127.0.0.1:18090\",\"http://127.0.0.1:18091\"],\"tokenFile\":\"admin-token\"}"
            .formatted(pid));
    return made;
  }
}
