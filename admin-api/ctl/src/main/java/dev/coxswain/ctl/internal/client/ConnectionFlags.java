// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.Flag;
import java.util.List;

/** The flags of every command that connects to the admin API. */
public final class ConnectionFlags {

  static final Flag SERVER =
      Flag.of("--server", "URL", "address of the admin API (COXSWAIN_SERVER)").withLetter('s');
  static final Flag TOKEN_FILE =
      Flag.of(
          "--token-file",
          "FILE",
          "file with the token (COXSWAIN_TOKEN_FILE, or the token itself in COXSWAIN_TOKEN)");
  static final Flag CERTIFICATE_AUTHORITY =
      Flag.of("--certificate-authority", "FILE", "PEM certificates to trust instead of Java's");
  static final Flag INSECURE =
      Flag.alone("--insecure-skip-tls-verify", "trust any certificate; for tests only");
  static final Flag KUBECONFIG = Flag.of("--kubeconfig", "FILE", "reach the host in this cluster");
  static final Flag CONTEXT = Flag.of("--context", "NAME", "the context of the kubeconfig to use");
  static final Flag HOST_NAMESPACE =
      Flag.of(
          "--host-namespace",
          "NAME",
          "namespace of the host's pods; the context's unless given (COXSWAIN_HOST_NAMESPACE)");
  static final Flag POD_SELECTOR =
      Flag.of(
          "--pod-selector",
          "LABELS",
          "labels of the host's pods, app.kubernetes.io/name=coxswain unless given");
  static final Flag POD_PORT =
      Flag.of("--pod-port", "PORT", "port of the admin API in the pod, 8090 unless given");
  static final Flag SERVICE_ACCOUNT =
      Flag.of(
          "--service-account",
          "NAME",
          "request a token of this account of the host's namespace (COXSWAIN_SERVICE_ACCOUNT)");
  static final Flag AUDIENCE =
      Flag.of("--audience", "NAME", "audience of that token, coxswain-admin unless given");
  static final Flag REQUEST_TIMEOUT =
      Flag.of("--request-timeout", "DURATION", "how long one request may take, 30s unless given");

  public static final List<Flag> ALL =
      List.of(
          SERVER,
          TOKEN_FILE,
          CERTIFICATE_AUTHORITY,
          INSECURE,
          KUBECONFIG,
          CONTEXT,
          HOST_NAMESPACE,
          POD_SELECTOR,
          POD_PORT,
          SERVICE_ACCOUNT,
          AUDIENCE,
          REQUEST_TIMEOUT);

  private ConnectionFlags() {}
}
